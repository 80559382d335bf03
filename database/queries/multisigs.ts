import { MULTISIG_BODY, MULTISIG_CODEC, type MultisigState } from "../../catapult/state/multisig.js";
import type { StateSource } from "../../catapult/state/state-codec.js";
import { RenderedEntry } from "../bodies/bodies.js";
import type { Db } from "../database.js";

/** A multisig entry, and the accounts linked to it. */
export class MultisigEntry extends RenderedEntry<StateSource> {
  readonly state: MultisigState;

  constructor(row: StateSource) {
    super(row.id, MULTISIG_BODY.write, row);
    this.state = MULTISIG_CODEC.decode(row.value);
  }
}

/**
 * Multisig entries by address (24 bytes), in the order of their addresses as in catapult-rest; missing ones are
 * omitted.
 */
export async function findMultisigs(db: Db, addresses: readonly Buffer[]): Promise<MultisigEntry[]> {
  if (addresses.length === 0) return [];
  const rows = await db
    .selectFrom("multisigs")
    .select(["id", "value"])
    .where("address", "in", [...addresses])
    .orderBy("address")
    .execute();
  return rows.map((row) => new MultisigEntry(row));
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
  const above = await levelsFrom(db, entries, -1, ({ state }) => state.multisigAddresses);
  const below = await levelsFrom(db, entries, 1, ({ state }) => state.cosignatoryAddresses);
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
