import type { BlockEntity } from "../../catapult/entity/block-entity.js";
import { hasStatement } from "../../catapult/entity/statement.js";
import type { ExecutedBlock } from "./executed-block.js";

const ZERO_HASH = Buffer.alloc(32);

type HeaderHashes = Pick<BlockEntity, "receiptsHash" | "stateHash">;

/** Whether the result of executing a block is that of its header; a network without state trees has zeros there. */
export function matchesHeader(result: ExecutedBlock, header: HeaderHashes): boolean {
  const isStateHash = result.stateHash.equals(header.stateHash) || ZERO_HASH.equals(header.stateHash);
  return isStateHash && isReceiptsHash(result, header);
}

/** Whether the receipts of a block are those of its header, if it has any. */
export function isReceiptsHash({ receiptsHash }: ExecutedBlock, header: Pick<HeaderHashes, "receiptsHash">): boolean {
  return receiptsHash.equals(header.receiptsHash) || !hasStatement(header.receiptsHash);
}
