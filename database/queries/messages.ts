import { sql } from "kysely";
import {
  decodeEntityId,
  entityIdOf,
  entityNumber,
  MAX_STORED_HEIGHT,
  numberFrom,
} from "../../catapult/json/entity-id.js";
import type { Db } from "../database.js";
import { readHead } from "./head.js";

/** The index over words of messages, which is there only if the indexer was told to create it. */
export const MESSAGE_INDEX = {
  name: "raw_blocks_messages",
  // Without a list of pending entries, which every look-up would have to read.
  definition:
    "create index raw_blocks_messages on raw_blocks using gin (analytics.block_words(height, block)) with (fastupdate = off)",
} as const;

/** Blocks whose words the index has together, with their number: see `analytics.words_of_blocks`. */
const GROUP_BLOCKS = 8_192;

/** A transfer with a plain text. */
export interface FoundMessage {
  /** Id of the transfer (12 bytes). */
  readonly id: Buffer;
  readonly text: string;
}

/** Heights are inclusive. */
export interface MessageSearch {
  /** As {@link wordsOf} returns them: all have to be in the message. */
  readonly words: readonly string[];
  readonly fromHeight?: number | undefined;
  readonly toHeight?: number | undefined;
}

/** Whether messages can be searched. */
export async function hasMessageIndex(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass(${MESSAGE_INDEX.name}) is not null as found`.execute(db);
  return rows[0]?.found ?? false;
}

/** The words of a text, each once, as the index has them. */
export async function wordsOf(db: Db, text: string): Promise<readonly string[]> {
  const { rows } = await sql<{ words: string[] }>`select analytics.words(${text}) as words`.execute(db);
  return rows[0]?.words ?? [];
}

/**
 * Transfers whose plain message has all the words, the newest first, after a position. Groups of blocks are searched
 * one after another until there are enough: nested loops, whose order is that of the groups. The sum with 0 keeps the
 * index over heights out of each group's plan, which would read all heights there.
 */
export async function findMessages(
  db: Db,
  { words, fromHeight = 1, toHeight = MAX_STORED_HEIGHT - 1 }: MessageSearch,
  { first, after }: { readonly first: number; readonly after?: Buffer | undefined },
): Promise<FoundMessage[]> {
  const head = (await readHead(db))?.height ?? 0;
  const to = Math.min(toHeight, after ? decodeEntityId(after).height : head, head);
  if (fromHeight > to) return [];
  const end = after ? numberFrom(after) : entityNumber(to + 1);
  const { rows } = await sql<{ id: string; text: string }>`
    select m.id::text as id, m.text
    from generate_series(${to}::int8 / ${GROUP_BLOCKS}, ${fromHeight}::int8 / ${GROUP_BLOCKS}, -1) g (blocks)
    cross join lateral (
      select array(select word || ' ' || g.blocks from unnest(${words}::text[]) word) as words,
        array['* ' || g.blocks] as large offset 0) w
    cross join lateral (
      select r.height from raw_blocks r
      where (analytics.block_words(r.height, r.block) @> w.words or analytics.block_words(r.height, r.block) @> w.large)
        and r.height + 0 between ${fromHeight}::int8 and ${to}::int8
      order by r.height desc) h
    cross join lateral (
      select (h.height << 32) | b.place as id, b.message as text
      from raw_blocks r cross join lateral analytics.block_messages(r.block) b
      where r.height = h.height and analytics.words(b.message) @> ${words}::text[]
      order by b.place desc) m
    where m.id < ${end}::int8
    limit ${first}`.execute(db);
  return rows.map(({ id, text }) => ({ id: entityIdOf(BigInt(id)), text }));
}
