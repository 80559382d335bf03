import type { BlockOutcome } from "../../catapult/verify/verify.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import type { HeaderMatch } from "../../ledger/engine/header-match.js";
import type { OverruledCheck } from "../../ledger/engine/overruled-check.js";

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

/** Notes which hashes of a block that votes prove are others than computed. */
export function noteOtherHashes(
  height: number,
  { hasStateHash, hasReceiptsHash }: HeaderMatch,
  { overruled, differing }: { readonly overruled: OverruledCheck[]; readonly differing: number[] },
): void {
  if (!hasReceiptsHash) overruled.push({ height, rule: "receiptsHash", transaction: undefined });
  if (!hasStateHash) differing.push(height);
}
