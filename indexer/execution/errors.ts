import { hex } from "../../catapult/entity/hex.js";

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
