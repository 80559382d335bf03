import type { BlockBody, BlockHeaderBody, BlockMessageBody } from "../../../catapult/body/block.js";
import { totalFee } from "../../../catapult/entity/block.js";
import { isKnownBlock } from "../../../catapult/entity/block-entity.js";
import { BLOCK } from "../../../catapult/entity/entity-layout.js";
import { hex } from "../../../catapult/entity/hex.js";
import type { Block, VerifiedBlock } from "../../../catapult/entity/model.js";
import { decimalText } from "../../../catapult/json/format.js";
import { entityFields } from "./transaction-body.js";

/**
 * Nemesis blocks are importance blocks too; for an unknown type or version, the bytes after the common fields are
 * `bin`.
 */
function footerFields({ bytes, headerSize, entity }: Block) {
  if (!isKnownBlock(entity)) return { bin: hex(bytes.subarray(BLOCK.footer, headerSize)) };
  const { importance } = entity;
  if (!importance) return {};
  return {
    votingEligibleAccountsCount: importance.votingEligibleAccountsCount,
    harvestingEligibleAccountsCount: decimalText(importance.harvestingEligibleAccountsCount),
    totalVotingBalance: decimalText(importance.totalVotingBalance),
    previousImportanceBlockHash: hex(importance.previousImportanceBlockHash),
  };
}

function headerFields(block: Block): BlockHeaderBody {
  const { entity } = block;
  const { gamma, verificationHash, scalar } = entity.generationHashProof;
  const fields = {
    size: block.bytes.length,
    signature: hex(entity.signature),
    ...entityFields(entity),
    height: decimalText(block.height),
    timestamp: decimalText(block.timestamp),
    difficulty: decimalText(block.difficulty),
    proofGamma: hex(gamma),
    proofVerificationHash: hex(verificationHash),
    proofScalar: hex(scalar),
    previousBlockHash: hex(entity.previousBlockHash),
    transactionsHash: hex(entity.transactionsHash),
    receiptsHash: hex(entity.receiptsHash),
    stateHash: hex(entity.stateHash),
    beneficiaryAddress: hex(entity.beneficiaryAddress),
    feeMultiplier: block.feeMultiplier,
    ...footerFields(block),
  };
  // Which footer belongs to which type is decided there.
  return fields as BlockHeaderBody;
}

/**
 * The REST document of a block (`BlockInfoDTO`); `id` is 24 hex digits.
 * Source: `mappers/BlockMapper` of catapult's `extensions/mongo`.
 */
export function renderBlock(block: VerifiedBlock, id: string): string {
  const { transactionStatements, addressResolutions, mosaicResolutions } = block.statement;
  const body: BlockBody = {
    id,
    meta: {
      hash: hex(block.hash),
      generationHash: hex(block.generationHash),
      totalFee: decimalText(totalFee(block)),
      totalTransactionsCount: block.transactions.reduce((sum, { embedded }) => sum + 1 + embedded.length, 0),
      stateHashSubCacheMerkleRoots: block.subCacheMerkleRoots.map(hex),
      transactionsCount: block.transactions.length,
      statementsCount: transactionStatements.length + addressResolutions.length + mosaicResolutions.length,
    },
    block: headerFields(block),
  };
  return JSON.stringify(body);
}

/**
 * The data of a `block` message: `{block, meta: {hash, generationHash}}`, the header's fields named as in the REST
 * document.
 */
export function renderBlockMessage(block: Block): string {
  const message: BlockMessageBody = {
    block: headerFields(block),
    meta: { hash: hex(block.hash), generationHash: hex(block.generationHash) },
  };
  return JSON.stringify(message);
}
