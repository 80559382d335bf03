import type { Db } from "../database.js";

/** A multisig entry: its REST body, and the accounts linked to it (24 bytes each). */
export interface MultisigEntry {
  readonly id: Buffer;
  readonly body: string;
  readonly address: Buffer;
  readonly cosignatoryAddresses: readonly Buffer[];
  readonly multisigAddresses: readonly Buffer[];
}

/**
 * Multisig entries by address (24 bytes), in the order of their addresses as in catapult-rest; missing ones are
 * omitted.
 */
export async function findMultisigs(db: Db, addresses: readonly Buffer[]): Promise<MultisigEntry[]> {
  if (addresses.length === 0) return [];
  const rows = await db
    .selectFrom("multisigs")
    .select(["id", "document", "address", "cosignatory_addresses", "multisig_addresses"])
    .where("address", "in", [...addresses])
    .orderBy("address")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    body: row.document,
    address: row.address,
    cosignatoryAddresses: row.cosignatory_addresses,
    multisigAddresses: row.multisig_addresses,
  }));
}

/**
 * One level of a multisig graph: 0 is the requested account, below 0 are accounts that it cosigns for, above 0 its
 * cosignatories.
 */
export interface MultisigLevel {
  readonly level: number;
  readonly entries: readonly MultisigEntry[];
}

/** A network allows a few levels only; more would be a cycle. */
const MAX_LEVELS = 16;

/**
 * The graph around an account, levels ascending; undefined when the account has no multisig entry.
 * Source: `client/rest/src/plugins/multisig/multisigUtils.js`.
 */
export async function findMultisigGraph(db: Db, address: Buffer): Promise<MultisigLevel[] | undefined> {
  const entries = await findMultisigs(db, [address]);
  if (entries.length === 0) return undefined;
  const above = await levelsFrom(db, entries, -1, (entry) => entry.multisigAddresses);
  const below = await levelsFrom(db, entries, 1, (entry) => entry.cosignatoryAddresses);
  return [...above.reverse(), { level: 0, entries }, ...below];
}

async function levelsFrom(
  db: Db,
  start: readonly MultisigEntry[],
  step: 1 | -1,
  next: (entry: MultisigEntry) => readonly Buffer[],
): Promise<MultisigLevel[]> {
  const levels: MultisigLevel[] = [];
  let entries = start;
  while (levels.length < MAX_LEVELS) {
    const addresses = new Map(entries.flatMap(next).map((one) => [one.toString("hex"), one]));
    entries = await findMultisigs(db, [...addresses.values()]);
    if (entries.length === 0) break;
    levels.push({ level: step * (levels.length + 1), entries });
  }
  return levels;
}
