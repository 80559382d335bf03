import { MOVEMENT_CAUSES, type MovementCause } from "../../catapult/state/balance-movements.js";
import { TRANSACTION_TYPE, type TransactionKind } from "../../catapult/structs/type-names.js";

/** The types of transactions all of whose operations are movements of balances, by what causes them. */
const MOVING: readonly string[] = [
  "transfer",
  "mosaic_supply_change",
  "mosaic_supply_revocation",
  "hash_lock",
  "secret_lock",
  "secret_proof",
  "aggregate_complete",
  "aggregate_bonded",
] satisfies TransactionKind[];

/** Operations without amounts, by transaction type: what else transactions do. */
export const EFFECTS: ReadonlyMap<number, TransactionKind> = new Map(
  (Object.entries(TRANSACTION_TYPE) as [TransactionKind, number][])
    .filter(([kind]) => !MOVING.includes(kind))
    .map(([kind, type]) => [type, kind]),
);

export type OperationType = MovementCause | TransactionKind | "cosign" | "unknown";

/** Types of operations: all that `/network/options` lists. */
export const OPERATION_TYPES: readonly OperationType[] = [...MOVEMENT_CAUSES, "cosign", ...EFFECTS.values(), "unknown"];
