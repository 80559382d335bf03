import pg from "pg";

/** What two indexes of the same chain have in common, whatever road they came: everything but what was told on the way. */
const COMPARED = {
  head: "select height, hash, score, finalized_epoch, finalized_point, finalized_height, finalized_hash, network_identifier, generation_hash_seed from head",
  raw_blocks: "select * from raw_blocks order by height",
  blocks: "select * from blocks order by id",
  transactions: "select * from transactions order by id",
  transaction_addresses: "select * from transaction_addresses order by address, id",
  transaction_mosaics: "select * from transaction_mosaics order by mosaic_id, id",
  transaction_statements: "select * from transaction_statements order by id",
  receipts: "select * from receipts order by statement_id, index",
  address_resolution_statements: "select * from address_resolution_statements order by id",
  mosaic_resolution_statements: "select * from mosaic_resolution_statements order by id",
  counters: "select * from counters order by collection, key",
  milestones: "select * from milestones order by collection, key, ordinal",
  newest_finalized_block: "select * from finalized_blocks order by epoch desc, point desc limit 1",
} as const;

/** Rows of each compared table as text; equal texts are equal tables. */
export async function readTables(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables: Record<string, string[]> = {};
    for (const [name, query] of Object.entries(COMPARED)) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from (${query}) t`);
      tables[name] = rows.map(({ row }) => row);
    }
    return tables;
  } finally {
    await client.end();
  }
}

/** The first difference of each table that differs, in words; empty when the databases hold the same chain. */
export async function differences(leftUrl: string, rightUrl: string): Promise<string[]> {
  const [left, right] = await Promise.all([readTables(leftUrl), readTables(rightUrl)]);
  return Object.keys(COMPARED).flatMap((name) => {
    const ours = left[name] ?? [];
    const theirs = right[name] ?? [];
    const at = Math.max(ours.length, theirs.length);
    for (let i = 0; i < at; i++) {
      if (ours[i] !== theirs[i]) {
        return [`${name} row ${i} of ${ours.length}/${theirs.length}: ${brief(ours[i])} ≠ ${brief(theirs[i])}`];
      }
    }
    return [];
  });
}

function brief(row: string | undefined): string {
  return row === undefined ? "(none)" : row.slice(0, 300);
}

/** Tables that an indexer fills and `COMPARED` leaves out on purpose. */
export const NOT_COMPARED = ["events", "finalized_blocks"] as const;
export const COMPARED_TABLES = Object.keys(COMPARED);
