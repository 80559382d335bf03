import { hex } from "../../catapult/entity/hex.js";
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
  constructor(finalizedHeight: number, message: string) {
    super(message);
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
