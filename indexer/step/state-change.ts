import type { Insertable } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import type { NamespaceRegistrationTable, VotingSetTable } from "../../database/tables/state.js";
import type { StateDifference } from "../../ledger/engine/chain-state.js";
import type { OverruledCheck } from "../../ledger/engine/overruled-check.js";

/** A state value at the head of a step; undefined if there is none. */
export interface ChangedState extends StateKey {
  readonly value: Buffer | undefined;
  /** What the value omits (`ledger/engine/omitted-part.ts`). */
  readonly history?: Buffer | undefined;
}

/** How executing a step's blocks changes the state. */
export interface StateChange {
  /** Registrations of namespaces in the step's blocks. */
  readonly registrations: readonly Insertable<NamespaceRegistrationTable>[];
  /** Values as of the step's new head. A namespace's key is that of its root. */
  readonly values: readonly ChangedState[];
  /** Entries replaced by each of the step's blocks above `floor`. */
  readonly replaced: readonly ReplacedState[];
  /** Of the epochs after those that end with one of the step's blocks. */
  readonly votingSets: readonly VotingSetTable[];
  /** Checks of ours that votes overruled in the step's blocks. */
  readonly overruled: readonly OverruledCheck[];
  /** Heights of the step's blocks that votes prove though their state hash is another one than computed. */
  readonly differing: readonly number[];
  /** How the state differs after the step; undefined if it never did. */
  readonly difference: StateDifference | undefined;
  /** Blocks up to here will not be rolled back. */
  readonly floor: number;
}

/** An entry before a block; undefined if there was none. */
export interface ReplacedState extends StateKey {
  /** Of the block. */
  readonly height: number;
  readonly before: { readonly value: Buffer; readonly history?: Buffer | undefined } | undefined;
}
