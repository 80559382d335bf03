import { setTimeout as sleep } from "node:timers/promises";
import type { Insertable } from "kysely";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import type { StateKey } from "../../../catapult/state/key.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { MissingRule } from "../../../database/queries/missing-rules.js";
import type { NamespaceRegistrationTable, VotingSetTable } from "../../../database/tables/state.js";
import type { StateDifference } from "../../../ledger/engine/chain-state.js";
import type { BlockRows } from "./block-rows.js";
import type { ChainPosition } from "./chain-position.js";
import type { RawBlock } from "./raw-rows.js";

/** The work of one database transaction: from `previous`, back to `rollBackTo`, and on to the last block. */
export interface Step {
  /** Required position of the head row. */
  readonly previous: ChainPosition;
  /** The last kept block; absent if nothing is dropped. */
  readonly rollBackTo?: ChainPosition | undefined;
  /** Of the new blocks, some at a time: the first follow `rollBackTo` or `previous`. May be empty. */
  readonly rows: readonly BlockRows[];
  /** The bytes of the new blocks; empty if they are stored already. */
  readonly raw: readonly RawBlock[];
  /** Statements and roots that are stored in another form, or not at all. */
  readonly recomputed?: readonly RecomputedBytes[] | undefined;
  /** How the step changes the state. */
  readonly state: StateChange;
  /** Blocks that became final, the newest last; at most as high as the new head. */
  readonly finalizations: readonly Finalization[];
  /** Whether events are emitted: those of `blocks`, which are all new blocks then. */
  readonly announce: boolean;
  /** Empty where no events are emitted. */
  readonly blocks: readonly VerifiedBlock[];
}

/** The statement and the roots of a block, if the stored ones are missing or different. */
export interface RecomputedBytes {
  readonly height: number;
  readonly statement: Buffer;
  /** 32 bytes each, concatenated. */
  readonly subCacheMerkleRoots: Buffer;
}

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
  /** Why one of the step's blocks was rejected, which votes prove nevertheless. */
  readonly missingRule: MissingRule | undefined;
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

/** Keeps a follower of blocks in step with another source of news about the chain. */
export interface Pace {
  /** The index has everything that the node has. Waits for `pollMs` milliseconds, or until there is news. */
  nextLook(pollMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Called before a step is written. May take a moment: what the node reported before its newest block is written
   * first.
   * @param nodeHeight the height of the node's chain
   */
  beforeStep(step: Step, nodeHeight: number, signal: AbortSignal): Promise<void>;
  /** Called when a step was written, and before the index is filled without events. */
  afterStep(step: Pick<Step, "announce" | "rollBackTo">): void;
}

/** The pace of a follower without another source. */
export const OWN_PACE: Pace = {
  nextLook: async (pollMs, signal) => {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  },
  beforeStep: async () => undefined,
  afterStep: () => undefined,
};
