import type { Block } from "../../catapult/entity/model.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { readProof, verifyHit, verifyProof } from "../../ledger/header/generation-rules.js";
import { verifyHeader } from "../../ledger/header/header-rules.js";
import type { HeaderWindow } from "../../ledger/header/header-window.js";

/** Verifies a header with its generation hash. @throws BlockRejectedError naming the field */
export function verifyWholeHeader(block: Block, parents: HeaderWindow, state: ChainState): void {
  const terms = verifyHeader(block, parents, state);
  if (!terms) return;
  const { height } = block;
  const parentGenerationHash = parents.head!.generationHash;
  verifyProof({ height, proof: readProof(block), key: terms.key, parentGenerationHash });
  verifyHit(block, terms.target);
}
