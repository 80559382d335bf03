import type { Insertable } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import type { NamespaceRegistrationTable } from "../../schema/db/namespace-names.js";

/** A state value at the head of a step; undefined where there is none. */
export interface ReadState extends StateKey {
  readonly value: Buffer | undefined;
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
}

/** A step that changes no state. */
export const NO_STATE_CHANGE: StateChange = { touched: [], registrations: [], values: [], unknown: [], settled: [] };
