import { sql } from "kysely";
import { entityIdOf, MAX_STORED_HEIGHT, numberFrom } from "../../catapult/json/entity-id.js";
import type { Db } from "../database.js";

/** The index over words of messages, which is there only if the indexer was told to create it. */
export const MESSAGE_INDEX = {
  name: "raw_blocks_messages",
  // Without a list of pending entries, which every look-up would have to read.
  definition:
    "create index raw_blocks_messages on raw_blocks using gin (analytics.block_words(height, block)) with (fastupdate = off)",
} as const;

/** A transfer with a plain text. */
export interface FoundMessage {
  /** Id of the transfer (12 bytes). */
  readonly id: Buffer;
  readonly text: string;
}

/** Heights are inclusive. */
export interface MessageSearch {
  /** Its words, of which there is at least one, all have to be in the message. */
  readonly text: string;
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

/** Transfers whose plain message has all the words, the newest first, after a position. */
export async function findMessages(
  db: Db,
  { text, fromHeight = 1, toHeight = MAX_STORED_HEIGHT - 1 }: MessageSearch,
  { first, after }: { readonly first: number; readonly after?: Buffer | undefined },
): Promise<FoundMessage[]> {
  const { rows } = await sql<{ id: string; message: string }>`
    select id::text as id, message
    from analytics.messages(${text}, ${first}, ${fromHeight}, ${toHeight}, ${after ? numberFrom(after) : null}::int8)`.execute(
    db,
  );
  return rows.map(({ id, message }) => ({ id: entityIdOf(BigInt(id)), text: message }));
}
