import type { BlockOutcome } from "../../catapult/verify/verify.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import type { HeaderMatch } from "../../ledger/engine/header-match.js";

/** The outcome of a block that votes prove: roots that are not those of its header are no roots of the block. */
export function provenOutcome(
  { statement, subCacheMerkleRoots }: ExecutedBlock,
  { hasStateHash, hasReceiptsHash }: HeaderMatch,
): BlockOutcome {
  return {
    statement,
    subCacheMerkleRoots: hasStateHash ? subCacheMerkleRoots : [],
    hasOtherReceipts: !hasReceiptsHash,
  };
}
