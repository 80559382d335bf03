import { parseHash } from "../standard/amounts.js";
import { endpoint } from "../standard/endpoint.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import {
  blockTransactionOf,
  MOVEMENTS,
  type MovementData,
  TRANSACTION,
  type TransactionData,
  transactionOf,
} from "../standard/operations.js";
import {
  BlockRequest,
  type BlockResponse,
  BlockTransactionRequest,
  type BlockTransactionResponse,
  type PartialBlockIdentifier,
} from "../standard/schemas.js";

const NEMESIS_HEIGHT = 1;

interface BlockData {
  readonly height: number;
  readonly hash: string;
  readonly previousBlockHash: string;
  readonly timestamp: number;
  readonly isFinalized: boolean;
  readonly feeMultiplier: number;
  readonly difficulty: string;
  readonly signerPublicKey: string;
  readonly transactionHashes: readonly string[];
  readonly firstTransactions: readonly TransactionData[];
  readonly movements: readonly MovementData[];
}

/** Variables that name a block. @throws MeshError invalidRequest */
export function blockVariables({ index, hash }: PartialBlockIdentifier) {
  if (index !== undefined && index < 0) throw invalidMember("block_identifier.index", "must be a height, from 1");
  return { height: index, hash: hash === undefined ? undefined : parseHash(hash, "block_identifier.hash") };
}

/** The transactions that the response leaves out are identified: each can be requested from `/block/transaction`. */
export const block = endpoint<typeof BlockRequest, BlockResponse>({
  path: "/block",
  request: BlockRequest,
  operations: {
    block: `query ($height: SafeInt, $hash: Hash256) {
      block: namedBlock(height: $height, hash: $hash) {
        height hash previousBlockHash timestamp isFinalized feeMultiplier difficulty signerPublicKey
        transactionHashes firstTransactions { ${TRANSACTION} } ${MOVEMENTS}
      }
    }`,
  },
  answer: async ({ block_identifier: requested }, { ask, network }) => {
    const data = await ask<{ block: BlockData | null }>("block", blockVariables(requested));
    if (!data.block) throw new MeshError("blockNotFound", { ...requested });
    const { height, hash, previousBlockHash, timestamp, movements, firstTransactions, ...rest } = data.block;
    const { transactionHashes, isFinalized, feeMultiplier, difficulty, signerPublicKey } = rest;
    const identifier = { index: height, hash };
    const ofBlock = movements.length > 0 ? [blockTransactionOf(hash, movements, network)] : [];
    const others = transactionHashes.slice(firstTransactions.length);
    return {
      block: {
        block_identifier: identifier,
        parent_block_identifier:
          height === NEMESIS_HEIGHT ? identifier : { index: height - 1, hash: previousBlockHash },
        timestamp: network.epochAdjustment + timestamp,
        transactions: [...firstTransactions.map((one) => transactionOf(one, network)), ...ofBlock],
        metadata: {
          is_final: isFinalized,
          fee_multiplier: feeMultiplier,
          difficulty,
          signer_public_key: signerPublicKey,
        },
      },
      ...(others.length > 0 && { other_transactions: others.map((other) => ({ hash: other })) }),
    };
  },
});

export const blockTransaction = endpoint<typeof BlockTransactionRequest, BlockTransactionResponse>({
  path: "/block/transaction",
  request: BlockTransactionRequest,
  operations: {
    ofBlock: `query ($height: SafeInt, $hash: Hash256) {
      block: namedBlock(height: $height, hash: $hash) { hash ${MOVEMENTS} }
    }`,
    inBlock: `query ($height: SafeInt, $hash: Hash256, $transactions: [Hash256!]) {
      block: namedBlock(height: $height, hash: $hash) { height }
      transactions: transactionsByIds(hashes: $transactions) { height ${TRANSACTION} }
    }`,
  },
  answer: async ({ block_identifier: requested, transaction_identifier: { hash } }, { ask, network }) => {
    const variables = blockVariables(requested);
    const wanted = parseHash(hash, "transaction_identifier.hash");
    const notThere = () => new MeshError("blockNotFound", { ...requested });
    if (variables.hash?.equals(wanted)) {
      const data = await ask<{ block: { hash: string; movements: MovementData[] } | null }>("ofBlock", variables);
      if (!data.block) throw notThere();
      return { transaction: blockTransactionOf(data.block.hash, data.block.movements, network) };
    }
    const found = await ask<{
      block: { readonly height: number } | null;
      transactions: readonly (TransactionData & { readonly height: number })[];
    }>("inBlock", { ...variables, transactions: [wanted] });
    if (!found.block) throw notThere();
    const [transaction] = found.transactions;
    if (transaction?.height !== found.block.height) throw new MeshError("transactionNotFound", { hash });
    return { transaction: transactionOf(transaction as TransactionData, network) };
  },
});
