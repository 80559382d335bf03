import { type Kysely, sql } from "kysely";

/** Groups of blocks are searched one after another: nested loops, whose order is that of the groups. */
const SEARCH = `select m.id, m.message
  from (select $3 as first, least($4, h.height) as last, coalesce($5, (least($4, h.height) + 1) << 32) as before_id,
    analytics.searched_words($1) as words from head h offset 0) s
  cross join lateral generate_series(least(s.last, (s.before_id - 1) >> 32) >> 13, s.first >> 13, -1) g (blocks)
  cross join lateral (
    select array(select word || ' ' || g.blocks from unnest(s.words) word) as words, array['* ' || g.blocks] as large offset 0) w
  cross join lateral (
    select r.height from raw_blocks r
    where (analytics.block_words(r.height, r.block) @> w.words or analytics.block_words(r.height, r.block) @> w.large)
      and r.height + 0 between s.first and s.last
    order by r.height desc) h
  cross join lateral (
    select (h.height << 32) | b.place as id, b.message
    from raw_blocks r cross join lateral analytics.block_messages(r.block) b
    where r.height = h.height and analytics.words(b.message) @> s.words
    order by b.place desc) m
  where m.id < s.before_id
  limit $2`;

const FUNCTIONS: readonly (readonly [signature: string, options: string, body: string, comment: string])[] = [
  [
    "searched_words(words text)",
    "returns text[] language plpgsql stable",
    `begin
      if to_regclass('raw_blocks_messages') is null then
        raise exception 'messages are not indexed: the indexer creates the index with MESSAGE_INDEX=on'
          using errcode = 'object_not_in_prerequisite_state';
      end if;
      if analytics.words(words) = '{}' then
        raise exception 'words must contain a word' using errcode = 'invalid_parameter_value';
      end if;
      return analytics.words(words);
    end`,
    "The words of a text that is searched for; an error if it has none, or if there is no index over messages.",
  ],
  [
    "messages(words text, most int4 default 100, from_height int8 default 1, to_height int8 default 2147483646, before_id int8 default null)",
    "returns table (id int8, message text) language sql stable rows 100",
    SEARCH,
    "Plain messages that have all the words, whole and in any case, the newest first: at most some, of blocks from one height to another, with the ids of their transfers in analytics.transactions, which are below before_id.",
  ],
];

/**
 * Search by words for SQL, and for GraphQL.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db);
  // Tables are those of the schema that is migrated, whatever the path of the caller.
  const own = `security definer set search_path = ${rows[0]?.schema ?? "public"}, pg_catalog`;
  for (const [signature, options, body, comment] of FUNCTIONS) {
    await sql.raw(`create function analytics.${signature} ${options} ${own} as $body$ ${body} $body$`).execute(db);
    const name = signature.replace(/ default \w+/g, "");
    await sql`comment on function ${sql.raw(`analytics.${name}`)} is ${sql.lit(comment)}`.execute(db);
  }
}
