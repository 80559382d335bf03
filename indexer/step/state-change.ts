import type { Insertable } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import type { NamespaceRegistrationTable, VotingSetTable } from "../../database/tables/state.js";

/** A state value at the head of a step; undefined where there is none. */
export interface ReadState extends StateKey {
  readonly value: Buffer | undefined;
  /** Of accounts, where blocks are executed: what the value leaves out. */
  readonly history?: Buffer | undefined;
}

/** A state value of a version that this program does not know. */
export interface UnknownState extends StateKey {
  readonly version: number;
}

/** What a step does to the state. */
export interface StateChange {
  /** Keys whose values the step's blocks, or the roll-back, may have changed. */
  readonly touched: readonly StateKey[];
  /** Registrations of namespaces in the step's blocks. */
  readonly registrations: readonly Insertable<NamespaceRegistrationTable>[];
  /** Values as of the step's new head, each held against its state hash. A namespace's key is that of its root. */
  readonly values: readonly ReadState[];
  /** Keys whose values were read, and are of versions that this program does not know. */
  readonly unknown: readonly UnknownState[];
  /** Keys that need not be read any more: those of `values`, and those that stood for one of them. */
  readonly settled: readonly StateKey[];
  /** Present where the values come of executing the blocks. */
  readonly execution?: ExecutionChange | undefined;
}

/** What is kept to take executed blocks back. */
export interface ExecutionChange {
  /** What each of the step's blocks above `floor` replaced. */
  readonly replaced: readonly ReplacedState[];
  /** Of the epochs after those that end with one of the step's blocks. */
  readonly votingSets: readonly VotingSetTable[];
  /** Blocks up to here will not be taken back. */
  readonly floor: number;
}

/** An entry as it was before a block; undefined where there was none. */
export interface ReplacedState extends StateKey {
  /** Of the block. */
  readonly height: number;
  readonly before: { readonly value: Buffer; readonly history?: Buffer | undefined } | undefined;
}

/** A step that changes no state. */
export const NO_STATE_CHANGE: StateChange = { touched: [], registrations: [], values: [], unknown: [], settled: [] };
