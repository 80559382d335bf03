import type { BlockEntity } from "../../catapult/entity/block-entity.js";
import type { BlockOutcome } from "../../catapult/verify/verify.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import { isReceiptsHash } from "../../ledger/engine/header-match.js";
import type { DifferingBlock } from "../step/state-change.js";

/** Which hashes of a header are those of the block's execution. */
export interface HeaderFit {
  readonly hasStateHash: boolean;
  readonly hasReceiptsHash: boolean;
}

export function fitOf(executed: ExecutedBlock, header: Pick<BlockEntity, "receiptsHash" | "stateHash">): HeaderFit {
  return {
    hasStateHash: executed.stateHash.equals(header.stateHash),
    hasReceiptsHash: isReceiptsHash(executed, header),
  };
}

/** The fields of a proven block that differ. */
export function differingFields(height: number, { hasStateHash, hasReceiptsHash }: HeaderFit): DifferingBlock[] {
  return [
    ...(hasStateHash ? [] : [{ height, field: "stateHash" as const }]),
    ...(hasReceiptsHash ? [] : [{ height, field: "receiptsHash" as const }]),
  ];
}

/** The outcome of a block that votes prove: roots that are not those of its header are no roots of the block. */
export function provenOutcome(
  { statement, subCacheMerkleRoots }: ExecutedBlock,
  { hasStateHash, hasReceiptsHash }: HeaderFit,
): BlockOutcome {
  return {
    statement,
    subCacheMerkleRoots: hasStateHash ? subCacheMerkleRoots : [],
    hasUnprovenReceipts: !hasReceiptsHash,
  };
}
