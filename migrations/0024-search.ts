import { type Kysely, sql } from "kysely";

/** Numbers in the bytes `b`, the lowest byte first. */
const uint16 = (offset: string) => `(get_byte(b, ${offset}) | (get_byte(b, ${offset} + 1) << 8))`;
const uint32 = (offset: string) =>
  `(${[0, 1, 2, 3].map((n) => `(get_byte(b, ${offset} + ${n})::int8 << ${8 * n})`).join(" | ")})`;
/** Offset of the first transaction in a block: the header of a normal one has 376 bytes, that of others 424. */
const FIRST_TRANSACTION = `case ${uint16("110")} when 33091 then 376 else 424 end`;
/** Entities in a block begin at multiples of 8 from the first one. */
const padded = (size: string) => `(${size} + 7) / 8 * 8`;

/** Bytes. */
const LARGEST_BLOCK = 16_777_216;

interface SearchFunction {
  readonly signature: string;
  readonly options: string;
  readonly body: string;
  readonly comment: string;
}

const FUNCTIONS: readonly SearchFunction[] = [
  {
    signature: "block_messages(block bytea)",
    options: "returns table (place int8, message text) language plpgsql immutable strict parallel safe rows 10",
    // A copy, because a value that is stored out of line would be read again for each byte.
    body: `declare b bytea := block || ''::bytea; here int8; size int8; type int; number int8 := 0;
      inside int8; inner_end int8; inner_size int8; inner_number int8;
    begin
      if length(b) < 376 then return; end if;
      here := ${FIRST_TRANSACTION};
      while here + 128 <= length(b) loop
        size := ${uint32("here::int")};
        exit when size < 128 or here + size > length(b);
        type := ${uint16("here::int + 110")};
        if type = 16724 and size >= 160 then
          place := number << 12;
          message := analytics.message_text(
            analytics.message_bytes(substring(b from here::int + 1 for size::int), false));
          if message <> '' then return next; end if;
        elsif type in (16705, 16961) and size >= 168 then
          inside := here + 168;
          inner_end := least(inside + ${uint32("here::int + 160")}, here + size);
          inner_number := 0;
          while inside + 48 <= inner_end loop
            inner_size := ${uint32("inside::int")};
            exit when inner_size < 48 or inside + inner_size > inner_end;
            inner_number := inner_number + 1;
            if ${uint16("inside::int + 46")} = 16724 and inner_size >= 80 then
              place := (number << 12) | inner_number;
              message := analytics.message_text(
                analytics.message_bytes(substring(b from inside::int + 1 for inner_size::int), true));
              if message <> '' then return next; end if;
            end if;
            inside := inside + ${padded("inner_size")};
          end loop;
        end if;
        here := here + ${padded("size")};
        number := number + 1;
      end loop;
    end`,
    comment:
      "The plain texts of messages in the bytes of a block, with the places of their transfers: the last 32 bits of the id in analytics.transactions.",
  },
  {
    signature: "words(message text)",
    options: "returns text[] language sql immutable parallel safe",
    body: "select coalesce(tsvector_to_array(to_tsvector('pg_catalog.simple', $1)), '{}')",
    comment: "The words of a text in lower case, each once, by the configuration simple of PostgreSQL's text search.",
  },
  {
    signature: "words_of_blocks(words text[], blocks int8)",
    options: "returns text[] language sql immutable parallel safe",
    body: "select coalesce(array_agg(distinct word || ' ' || $2), '{}') from unnest($1) word",
    comment: "Words as the index over messages has them: with the number of a group of blocks.",
  },
  {
    signature: "block_words(height int8, block bytea)",
    // Far more than any look-up: a plan that reads an index is always cheaper than one that reads blocks.
    options: "returns text[] language sql immutable parallel safe cost 100000",
    // Words of more bytes could take more memory than there is. No word is a star.
    body: `select analytics.words_of_blocks(array_agg(word), $1 >> 13) from (
      select '*' where length($2) > ${LARGEST_BLOCK}
      union
      select unnest(analytics.words(m.message))
      from analytics.block_messages(case when length($2) <= ${LARGEST_BLOCK} then $2 end) m) w (word)`,
    comment:
      "The words of all messages in a block with the number of its group of 8,192 blocks; a star for a block of more than 16 MiB.",
  },
];

/**
 * Search by words of messages and by beginnings of names.
 *
 * The index over messages is created and dropped by the indexer, as a setting says. It has the words of each block
 * together with the number of a group of blocks, so that groups are searched one after another, the newest first: a
 * word that is in every block costs no more than a rare one.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const { signature, options, body, comment } of FUNCTIONS) {
    await sql.raw(`create function analytics.${signature} ${options} as $body$ ${body} $body$`).execute(db);
    await sql`comment on function ${sql.raw(`analytics.${signature}`)} is ${sql.lit(comment)}`.execute(db);
  }
  await sql`create index namespace_registrations_name on namespace_registrations (parent_id, (name collate "C"))
    include (namespace_id)`.execute(db);
}
