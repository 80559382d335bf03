import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { generateVrfProof } from "../../catapult/crypto/vrf.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { blockHash, generationHash } from "../../catapult/entity/hashes.js";
import { BLOCK_TYPE } from "../../catapult/structs/type-names.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { blockTypeAt } from "../../ledger/header/header-rules.js";
import type { DevnetRules } from "../network/settings.js";
import type { Signer } from "../network/signer.js";
import type { ImportanceFooter } from "./block-layout.js";
import { writeBlock } from "./block-layout.js";
import type { StoredBlock } from "./chain.js";
import type { DevnetTransaction } from "./transaction.js";

/** The parts of a block that are decided before it is executed. */
export interface BlockPlan {
  readonly height: number;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  readonly difficulty: bigint;
  readonly previousBlockHash: Buffer;
  readonly previousGenerationHash: Buffer;
  readonly previousImportanceBlockHash: Buffer;
  readonly feeMultiplier: number;
  readonly transactions: readonly DevnetTransaction[];
  readonly signer: Signer;
  /** Proves the generation hash. */
  readonly vrf: Signer;
  /** Replaces a proof by `vrf`, for a block whose proof is never verified: 80 bytes. */
  readonly generationHashProof?: Buffer;
  readonly beneficiaryAddress: Buffer;
}

/**
 * Executes a planned block on the state, fills in all hashes of its header, and signs it. Throws
 * `BlockExecutionError`, and changes nothing, if a transaction cannot be executed.
 */
export function assembleBlock(plan: BlockPlan, rules: DevnetRules, state: ChainState): StoredBlock {
  const { signer, transactions } = plan;
  const type = blockTypeAt(plan.height, rules.importanceGrouping);
  const generationHashProof = plan.generationHashProof ?? proofBytes(plan);
  const executed = state.execute({
    height: plan.height,
    timestamp: plan.timestamp,
    feeMultiplier: plan.feeMultiplier,
    signerPublicKey: signer.publicKey,
    signerAddress: addressOfPublicKey(signer.publicKey, rules.networkIdentifier),
    beneficiaryAddress: plan.beneficiaryAddress,
    transactions,
  });
  const footer: ImportanceFooter | undefined =
    type === BLOCK_TYPE.normal
      ? undefined
      : { ...state.importanceCounts(), previousImportanceBlockHash: plan.previousImportanceBlockHash };
  const block = writeBlock(
    {
      type,
      network: rules.networkIdentifier,
      height: plan.height,
      timestamp: plan.timestamp,
      difficulty: plan.difficulty,
      generationHashProof,
      previousBlockHash: plan.previousBlockHash,
      transactionsHash: merkleRoot(transactions.map(({ merkleComponentHash }) => merkleComponentHash)),
      receiptsHash: executed.receiptsHash,
      stateHash: executed.stateHash,
      beneficiaryAddress: plan.beneficiaryAddress,
      feeMultiplier: plan.feeMultiplier,
      footer,
      transactions: transactions.map(({ bytes }) => bytes),
    },
    signer,
  );
  return {
    block,
    hash: blockHash(block),
    generationHash: generationHash(block),
    statement: executed.statement,
  };
}

function proofBytes({ previousGenerationHash, vrf }: BlockPlan): Buffer {
  const { gamma, verificationHash, scalar } = generateVrfProof(previousGenerationHash, vrf.privateKey);
  return Buffer.concat([gamma, verificationHash, scalar]);
}
