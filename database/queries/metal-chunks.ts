import { sql } from "kysely";
import { METADATA_CODEC, type MetadataState } from "../../catapult/state/metadata.js";
import type { Db } from "../database.js";

/** Bytes of a metadata entry's state value before its own value: version, addresses, key, target id, type, size. */
const VALUE_OFFSET = 69;
/** Offsets in a chunk: see `catapult/state/metal.ts`. */
const NEXT_KEY_OFFSET = 4;
const PAYLOAD_OFFSET = 12;
const END_FLAG = 0x80;

/**
 * The metadata entries of a Metal file, starting with the one with this composite hash (32 bytes), each named by the
 * previous one: at most `limit`, fewer if one is missing; none if there is no such entry. Their contents are not
 * checked here.
 */
export async function readMetalChunks(db: Db, compositeHash: Buffer, limit: number): Promise<MetadataState[]> {
  const offsetIn = (offset: number) => sql.lit(VALUE_OFFSET + offset);
  const { rows } = await sql<{ value: Buffer }>`
    with recursive chunks as (
      select 1 as ordinal, m.value, m.source_address, m.target_address, m.target_id, m.metadata_type
      from metadata m where m.composite_hash = ${compositeHash}
      union all
      select c.ordinal + 1, m.value, m.source_address, m.target_address, m.target_id, m.metadata_type
      from chunks c
      cross join lateral (
        -- With offset 0 the index of keys is used: keys are hashes, all else is common to many entries.
        select value, source_address, target_address, target_id, metadata_type from metadata
        where scoped_metadata_key = substring(c.value from ${offsetIn(NEXT_KEY_OFFSET + 1)} for 8) offset 0) m
      where m.source_address = c.source_address and m.target_address = c.target_address
        and m.target_id = c.target_id and m.metadata_type = c.metadata_type
        and c.ordinal < ${limit} and length(c.value) >= ${offsetIn(PAYLOAD_OFFSET)}
        and get_byte(c.value, ${offsetIn(0)}) & ${sql.lit(END_FLAG)} = 0)
    select value from chunks order by ordinal`.execute(db);
  return rows.map(({ value }) => METADATA_CODEC.decode(value));
}
