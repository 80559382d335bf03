import type { BlockOutcome } from "../../catapult/verify/verify.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import type { HeaderMatch } from "../../ledger/engine/header-match.js";
import type { DifferingBlock } from "../step/state-change.js";

/** The fields of a proven block that differ. */
export function differingFields(height: number, { hasStateHash, hasReceiptsHash }: HeaderMatch): DifferingBlock[] {
  return [
    ...(hasStateHash ? [] : [{ height, field: "stateHash" as const }]),
    ...(hasReceiptsHash ? [] : [{ height, field: "receiptsHash" as const }]),
  ];
}

/** The outcome of a block that votes prove: roots that are not those of its header are no roots of the block. */
export function provenOutcome(
  { statement, subCacheMerkleRoots }: ExecutedBlock,
  { hasStateHash, hasReceiptsHash }: HeaderMatch,
): BlockOutcome {
  return {
    statement,
    subCacheMerkleRoots: hasStateHash ? subCacheMerkleRoots : [],
    hasUnprovenReceipts: !hasReceiptsHash,
  };
}
