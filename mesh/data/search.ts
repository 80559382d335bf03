import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { addressIn, parseHash, parseMosaicId, parseNetworkAddress } from "../standard/amounts.js";
import { endpoint } from "../standard/endpoint.js";
import type { NetworkFacts } from "../standard/network.js";
import { EFFECTS, OPERATION_TYPES, type OperationType } from "../standard/operation-types.js";
import {
  buildBlockTransaction,
  buildTransaction,
  MOVEMENTS,
  type MovementData,
  REFERENCE_SUCCESS,
  SUCCESS,
  TRANSACTION,
  type TransactionData,
} from "../standard/operations.js";
import {
  type BlockTransaction,
  SearchTransactionsRequest,
  type SearchTransactionsResponse,
} from "../standard/schemas.js";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Conditions that leave something to search for; the others match every transaction, or none. */
interface Conditions {
  hash?: Buffer;
  addresses?: Buffer[];
  mosaicId?: bigint;
  types?: number[];
  isCosigned?: true;
}

type Condition = Conditions | "every" | "none";

/** The transactions that have operations of a type; the types of expired locks and harvesting belong to blocks. */
const MOVERS: Readonly<Partial<Record<OperationType, readonly number[] | "every">>> = {
  fee: "every",
  transfer: [TRANSACTION_TYPE.transfer],
  mosaic_supply_change: [TRANSACTION_TYPE.mosaic_supply_change],
  mosaic_supply_revocation: [TRANSACTION_TYPE.mosaic_supply_revocation],
  namespace_rental_fee: [TRANSACTION_TYPE.namespace_registration],
  mosaic_rental_fee: [TRANSACTION_TYPE.mosaic_definition],
  hash_lock_created: [TRANSACTION_TYPE.hash_lock],
  hash_lock_completed: [TRANSACTION_TYPE.aggregate_bonded],
  secret_lock_created: [TRANSACTION_TYPE.secret_lock],
  secret_lock_completed: [TRANSACTION_TYPE.secret_proof],
};

interface Found {
  readonly matches: {
    readonly total: number;
    readonly data: readonly (TransactionData & {
      readonly block: { readonly height: number; readonly hash: string };
    })[];
  };
}

/**
 * Transactions by conditions, the newest first. The transaction of a block itself (see `buildBlockTransaction`) is
 * found by its identifier only.
 */
export const searchTransactions = endpoint<typeof SearchTransactionsRequest, SearchTransactionsResponse>({
  path: "/search/transactions",
  request: SearchTransactionsRequest,
  operations: {
    search: `query (
      $match: ConditionMatch!, $hash: Hash256, $addresses: [Address!], $mosaicId: ArtifactId, $types: [Int!],
      $isCosigned: Boolean, $toHeight: SafeInt, $skip: SafeInt, $first: Int
    ) {
      matches: matchingTransactions(
        match: $match, hash: $hash, addresses: $addresses, mosaicId: $mosaicId, types: $types, isCosigned: $isCosigned,
        toHeight: $toHeight, skip: $skip, first: $first
      ) { total data { ${TRANSACTION} block { height hash } } }
    }`,
    ofBlock: `query ($hash: Hash256) { block: namedBlock(hash: $hash) { height hash ${MOVEMENTS} } }`,
  },
  answer: async (request, { ask, network }) => {
    const { operator = "and", limit = DEFAULT_LIMIT, offset = 0, max_block: toHeight } = request;
    const wanted = combined(operator, conditionsOf(request, network));
    if (!wanted) return { transactions: [], total_count: 0 };
    const hash = wanted.hash && Object.keys(wanted).length === 1 ? wanted.hash : undefined;
    if (hash) {
      const { block } = await ask<{ block: BlockData | null }>("ofBlock", { hash });
      if (block && block.height <= (toHeight ?? block.height)) return ofBlock(block, offset, limit, network);
    }
    const { matches } = await ask<Found>("search", {
      match: operator === "or" ? "any" : "all",
      ...wanted,
      toHeight,
      skip: offset,
      first: Math.min(Math.max(limit, 1), MAX_LIMIT),
    });
    const transactions = (limit === 0 ? [] : matches.data).map(
      ({ block: { height, hash: blockHash }, ...transaction }): BlockTransaction => ({
        block_identifier: { index: height, hash: blockHash },
        transaction: buildTransaction(transaction, network),
      }),
    );
    return answerOf(transactions, matches.total, offset);
  },
});

interface BlockData {
  readonly height: number;
  readonly hash: string;
  readonly movements: readonly MovementData[];
}

function ofBlock(
  { height, hash, movements }: BlockData,
  offset: number,
  limit: number,
  network: NetworkFacts,
): SearchTransactionsResponse {
  const transaction = buildBlockTransaction(hash, movements, network);
  const isShown = offset === 0 && limit > 0;
  return answerOf(isShown ? [{ block_identifier: { index: height, hash }, transaction }] : [], 1, offset);
}

function answerOf(transactions: BlockTransaction[], total: number, offset: number): SearchTransactionsResponse {
  const next = offset + transactions.length;
  return { transactions, total_count: total, ...(next < total && { next_offset: next }) };
}

/** One entry for each member of the request that is a condition. @throws MeshError for a malformed one */
function conditionsOf(request: SearchTransactionsRequest, network: NetworkFacts): Condition[] {
  const { transaction_identifier: transaction, account_identifier: account, coin_identifier: coin } = request;
  const { currency, status, type, address, success } = request;
  const conditions: Condition[] = [];
  if (transaction) conditions.push({ hash: parseHash(transaction.hash, "transaction_identifier.hash") });
  if (account) conditions.push({ addresses: [addressIn(account, network)] });
  if (address !== undefined) conditions.push({ addresses: [parseNetworkAddress(address, network)] });
  // Symbol has accounts, not coins.
  if (coin) conditions.push("none");
  if (currency) conditions.push({ mosaicId: BigInt(`0x${parseMosaicId(currency, "currency", network)}`) });
  if (status !== undefined)
    conditions.push(status === (network.isLikeReference ? REFERENCE_SUCCESS : SUCCESS) ? "every" : "none");
  if (type !== undefined) conditions.push(ofType(type));
  if (success !== undefined) conditions.push(success ? "every" : "none");
  return conditions;
}

function ofType(type: string): Condition {
  if (!(OPERATION_TYPES as readonly string[]).includes(type)) return "none";
  if (type === "cosign") return { isCosigned: true };
  const moved = MOVERS[type as OperationType];
  if (moved === "every") return moved;
  const types = moved ?? [...EFFECTS].filter(([, effect]) => effect === type).map(([number]) => number);
  return types.length > 0 ? { types: [...types] } : "none";
}

/** What to search for; undefined if nothing can match. */
function combined(operator: "and" | "or", conditions: readonly Condition[]): Conditions | undefined {
  const decisive = operator === "and" ? "none" : "every";
  if (conditions.includes(decisive)) return decisive === "every" ? {} : undefined;
  const open = conditions.filter((one): one is Conditions => typeof one !== "string");
  if (open.length === 0) return conditions.length > 0 && operator === "or" ? undefined : {};
  const addresses = open.flatMap((one) => one.addresses ?? []);
  return { ...Object.assign({}, ...open), ...(addresses.length > 0 && { addresses }) };
}
