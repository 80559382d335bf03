import type { Insertable } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import type { DifferingField, NamespaceRegistrationTable, VotingSetTable } from "../../database/tables/state.js";
import type { OverruledCheck } from "../../ledger/engine/overruled-check.js";
import type { StateMarks } from "../../ledger/engine/state-marks.js";

/** A state value at the head of a step; undefined if there is none. */
export interface ReadState extends StateKey {
  readonly value: Buffer | undefined;
  /** If blocks are executed: what the value omits (`ledger/engine/omitted-part.ts`). */
  readonly history?: Buffer | undefined;
}

/** A state value of a version unknown to this program. */
export interface UnknownState extends StateKey {
  readonly version: number;
}

/** How a step changes the state. */
export interface StateChange {
  /** Keys whose values may have been changed by the step's blocks, or the roll-back. */
  readonly touched: readonly StateKey[];
  /** Registrations of namespaces in the step's blocks. */
  readonly registrations: readonly Insertable<NamespaceRegistrationTable>[];
  /** Values as of the step's new head, each verified against its state hash. A namespace's key is that of its root. */
  readonly values: readonly ReadState[];
  /** Keys whose values were read, and are of versions unknown to this program. */
  readonly unknown: readonly UnknownState[];
  /** Keys that need not be read any more: those of `values`, and those that belong to one of them. */
  readonly settled: readonly StateKey[];
  /** Present if the values come from executing the blocks. */
  readonly execution?: ExecutionChange | undefined;
}

/** Data for rolling back executed blocks. */
export interface ExecutionChange {
  /** Entries replaced by each of the step's blocks above `floor`. */
  readonly replaced: readonly ReplacedState[];
  /** Of the epochs after those that end with one of the step's blocks. */
  readonly votingSets: readonly VotingSetTable[];
  /** Checks of ours that votes overruled in the step's blocks. */
  readonly overruled: readonly OverruledCheck[];
  /** The step's blocks that votes prove though their hashes are others than computed. */
  readonly differing: readonly DifferingBlock[];
  /** What is known to differ after the step; undefined if nothing ever did. */
  readonly marks: StateMarks | undefined;
  /** Blocks up to here will not be rolled back. */
  readonly floor: number;
}

/** A block with another hash than computed. */
export interface DifferingBlock {
  readonly height: number;
  readonly field: DifferingField;
}

/** An entry before a block; undefined if there was none. */
export interface ReplacedState extends StateKey {
  /** Of the block. */
  readonly height: number;
  readonly before: { readonly value: Buffer; readonly history?: Buffer | undefined } | undefined;
}

/** A step that changes no state. */
export const NO_STATE_CHANGE: StateChange = { touched: [], registrations: [], values: [], unknown: [], settled: [] };
