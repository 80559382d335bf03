import { hex } from "../../../catapult/entity/hex.js";
/** The head row is not where this writer left it: another writer was active. Nothing was written. */
export class HeadMovedError extends Error {
  override readonly name = "HeadMovedError";
}

/**
 * A roll-back would drop a finalized block: the node is on another chain, or its data were lost. Nothing was written.
 */
export class FinalizedBlockDroppedError extends Error {
  override readonly name = "FinalizedBlockDroppedError";
  readonly finalizedHeight: number;

  constructor(finalizedHeight: number) {
    super(`The node's chain does not contain our finalized block at height ${finalizedHeight}`);
    this.finalizedHeight = finalizedHeight;
  }
}

/** The node serves another network than the one in the database. */
export class WrongNetworkError extends Error {
  override readonly name = "WrongNetworkError";

  /** @param indexed generation hash seed of the network in the database; @param served that of the node's */
  constructor(indexed: Buffer | null, served: Buffer, holder = "The database holds") {
    super(
      `${holder} the network with generation hash seed ${indexed && hex(indexed)}, ` + `the node serves ${hex(served)}`,
    );
  }
}

/** The requested range cannot be filled; the message says which range is valid. Nothing was changed. */
export class BackfillRangeError extends Error {
  override readonly name = "BackfillRangeError";
}

/** The stored state does not match the head's header: a row is missing or was changed. Nothing was written. */
export class StoredStateError extends Error {
  override readonly name = "StoredStateError";

  /** @param kinds whose trees have another root */
  constructor(height: number, kinds: readonly string[]) {
    super(
      `The stored state does not match block ${height}: the tree of ${kinds.join(", ")} has another root than the block. ` +
        "Rebuild it with `symbol-gateway backfill --source raw`",
    );
  }
}

/** The network's rules are unknown, so its blocks cannot be executed. */
export class UnknownNetworkError extends Error {
  override readonly name = "UnknownNetworkError";

  constructor(generationHashSeed: Buffer) {
    super(
      `The rules of the network with generation hash seed ${hex(generationHashSeed)} are unknown: ` +
        "set CATAPULT_RESOURCES to the resources folder of one of its nodes",
    );
  }
}

/** The node claims a higher score than the index has, and does not serve blocks with it. */
export class ClaimedScoreError extends Error {
  override readonly name = "ClaimedScoreError";

  /** @param ms for how long */
  constructor(claimed: bigint, indexed: bigint, ms: number) {
    super(
      `The node claims a chain with score ${claimed}, above the index's ${indexed}, but has not served its blocks ` +
        `within ${Math.round(ms / 1_000)} s`,
    );
  }
}
