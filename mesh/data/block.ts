import { parseHash } from "../standard/amounts.js";
import { type Ask, endpoint } from "../standard/endpoint.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import {
  buildBlockTransaction,
  buildTransaction,
  isOfReceipt,
  MOVEMENTS,
  type MovementData,
  TRANSACTION,
  type TransactionData,
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

interface FoundInBlock {
  readonly block: { readonly height: number } | null;
  readonly transactions: readonly (TransactionData & { readonly height: number })[];
}

/** Some transactions of a block, on one snapshot with it. */
const OTHERS = `query ($height: SafeInt, $hash: Hash256, $transactions: [Hash256!]) {
  block: namedBlock(height: $height, hash: $hash) { height }
  transactions: transactionsByIds(hashes: $transactions) { height ${TRANSACTION} }
}`;
const OTHERS_AT_ONCE = 100;

/** The transactions of a block after its first ones, in their order. @throws MeshError when a fork drops it meanwhile */
async function readOthers(block: BlockData, ask: Ask): Promise<TransactionData[]> {
  const hashes = block.transactionHashes.slice(block.firstTransactions.length);
  const read: TransactionData[] = [];
  while (read.length < hashes.length) {
    const wanted = hashes.slice(read.length, read.length + OTHERS_AT_ONCE);
    const variables = { height: block.height, hash: Buffer.from(block.hash, "hex") };
    const transactions = wanted.map((hash) => Buffer.from(hash, "hex"));
    const found = await ask<FoundInBlock>("others", { ...variables, transactions });
    const isWhole = found.block !== null && found.transactions.length === wanted.length;
    if (!isWhole) throw new MeshError("blockNotFound", { index: block.height, hash: block.hash });
    read.push(...found.transactions);
  }
  return read;
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
    others: OTHERS,
  },
  answer: async ({ block_identifier: requested }, { ask, network }) => {
    const data = await ask<{ block: BlockData | null }>("block", blockVariables(requested));
    if (!data.block) throw new MeshError("blockNotFound", { ...requested });
    const { height, hash, previousBlockHash, timestamp, movements, firstTransactions, ...rest } = data.block;
    const { transactionHashes, isFinalized, feeMultiplier, difficulty, signerPublicKey } = rest;
    const identifier = { index: height, hash };
    const { isLikeReference } = network;
    const transactions = [...firstTransactions];
    // Clients of catapult-rest do not ask for others.
    if (isLikeReference) transactions.push(...(await readOthers(data.block, ask)));
    const others = transactionHashes.slice(transactions.length);
    const ofReceipts = isLikeReference ? transactions.flatMap((one) => one.movements.filter(isOfReceipt)) : [];
    const moved = [...movements, ...ofReceipts];
    const ofBlock = moved.length > 0 ? [buildBlockTransaction(hash, moved, network)] : [];
    return {
      block: {
        block_identifier: identifier,
        parent_block_identifier:
          height === NEMESIS_HEIGHT ? identifier : { index: height - 1, hash: previousBlockHash },
        timestamp: network.epochAdjustment + timestamp,
        transactions: [...transactions.map((one) => buildTransaction(one, network)), ...ofBlock],
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
    inBlock: OTHERS,
  },
  answer: async ({ block_identifier: requested, transaction_identifier: { hash } }, { ask, network }) => {
    const variables = blockVariables(requested);
    const wanted = parseHash(hash, "transaction_identifier.hash");
    const notThere = () => new MeshError("blockNotFound", { ...requested });
    if (variables.hash?.equals(wanted)) {
      const data = await ask<{ block: { hash: string; movements: MovementData[] } | null }>("ofBlock", variables);
      if (!data.block) throw notThere();
      return { transaction: buildBlockTransaction(data.block.hash, data.block.movements, network) };
    }
    const found = await ask<FoundInBlock>("inBlock", { ...variables, transactions: [wanted] });
    if (!found.block) throw notThere();
    const [transaction] = found.transactions;
    if (transaction?.height !== found.block.height) throw new MeshError("transactionNotFound", { hash });
    return { transaction: buildTransaction(transaction as TransactionData, network) };
  },
});
