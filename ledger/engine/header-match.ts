import type { BlockEntity } from "../../catapult/entity/block-entity.js";
import { hasStatement } from "../../catapult/entity/statement.js";
import type { ExecutedBlock } from "./executed-block.js";

const ZERO_HASH = Buffer.alloc(32);

type HeaderHashes = Pick<BlockEntity, "receiptsHash" | "stateHash">;

/** Which hashes of a header are those of the block's execution. */
export interface HeaderMatch {
  readonly hasStateHash: boolean;
  readonly hasReceiptsHash: boolean;
}

/** A network without state trees has zeros as state hash, and one without receipts as receipts hash. */
export function headerMatch(
  { stateHash, receiptsHash }: Pick<ExecutedBlock, "stateHash" | "receiptsHash">,
  header: HeaderHashes,
): HeaderMatch {
  return {
    hasStateHash: stateHash.equals(header.stateHash) || ZERO_HASH.equals(header.stateHash),
    hasReceiptsHash: receiptsHash.equals(header.receiptsHash) || !hasStatement(header.receiptsHash),
  };
}

/** Whether the result of executing a block is that of its header. */
export function matchesHeader(result: ExecutedBlock, header: HeaderHashes): boolean {
  const { hasStateHash, hasReceiptsHash } = headerMatch(result, header);
  return hasStateHash && hasReceiptsHash;
}
