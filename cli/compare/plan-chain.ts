import { models } from "symbol-sdk/symbol";
import { LISTS } from "./list-forms.js";
import type { Names } from "./names.js";
import type { SeededRandom } from "./random.js";
import type { CompareRequest } from "./request.js";

/** The heights to compare. */
export interface Span {
  /** The highest block that both gateways have and know to be final: nothing below it changes. */
  readonly highest: number;
  /** The newest finalization epoch that both know. */
  readonly epoch: number;
}

/** How much is requested, and the random selection. */
export interface PlanOptions extends Span {
  /** Number of things of each kind. */
  readonly size: number;
  readonly random: SeededRandom;
}

const LONGEST_PAGE = 100;
const TRANSACTION_TYPES = numbersOf(models.TransactionType);
const RECEIPT_TYPES = numbersOf(models.ReceiptType);

/** The first requests: blocks, and pages of every list, which name what is requested next. */
export function* chainRequests(options: PlanOptions): Generator<CompareRequest> {
  yield* networkRequests(options);
  yield* blockRequests(options);
  yield* transactionSearches(options);
  yield* statementSearches(options);
  for (const group of ["unconfirmed", "partial"] as const) {
    const operationId = group === "unconfirmed" ? "searchUnconfirmedTransactions" : "searchPartialTransactions";
    const list = LISTS.pendingTransactions;
    yield { operationId, path: `/transactions/${group}?pageSize=100&order=desc`, list, moves: true };
  }
}

/** Transactions and Merkle paths named by earlier responses. */
export function* chainLookUps(names: Names): Generator<CompareRequest> {
  const found = names.someOfEveryType;
  for (const { hash, height, merkleComponentHash } of found) {
    yield { operationId: "getConfirmedTransaction", path: `/transactions/confirmed/${hash}` };
    yield { operationId: "getTransactionStatus", path: `/transactionStatus/${hash}` };
    const merkle = (of: string) => `/blocks/${height}/transactions/${of}/merkle`;
    yield { operationId: "getMerkleTransaction", path: merkle(merkleComponentHash) };
    if (hash === merkleComponentHash) continue;
    yield { operationId: "getMerkleTransaction", path: merkle(hash), shows: "aggregateMerklePath" };
  }
  for (const { height, hash } of names.statements.all) {
    yield { operationId: "getMerkleReceipts", path: `/blocks/${height}/statements/${hash}/merkle` };
  }
  const hashes = found.map(({ hash }) => hash).slice(0, LONGEST_PAGE);
  if (hashes.length > 0) {
    const [transactions, statuses] = ["/transactions/confirmed", "/transactionStatus"] as const;
    const body = { transactionIds: hashes };
    yield { operationId: "getConfirmedTransactions", path: transactions, body, list: LISTS.transactions };
    yield { operationId: "getTransactionStatuses", path: statuses, body: { hashes }, list: LISTS.statuses };
  }
  yield* pendingLookUps(names.of("pendingHashes"));
}

function* pendingLookUps(hashes: readonly string[]): Generator<CompareRequest> {
  const moving = { moves: true, mayVanish: true };
  for (const hash of hashes) {
    yield { operationId: "getUnconfirmedTransaction", path: `/transactions/unconfirmed/${hash}`, ...moving };
    yield { operationId: "getPartialTransaction", path: `/transactions/partial/${hash}`, ...moving };
  }
  const body = { transactionIds: hashes.length > 0 ? hashes.slice(0, LONGEST_PAGE) : ["0".repeat(64)] };
  const list = LISTS.pendingTransactions;
  yield { operationId: "getUnconfirmedTransactions", path: "/transactions/unconfirmed", body, list, ...moving };
  yield { operationId: "getPartialTransactions", path: "/transactions/partial", body, list, ...moving };
}

function* networkRequests({ highest, epoch, size, random }: PlanOptions): Generator<CompareRequest> {
  yield { operationId: "getChainInfo", path: "/chain/info", moves: true };
  yield { operationId: "getNetworkType", path: "/network" };
  yield { operationId: "getNetworkProperties", path: "/network/properties" };
  yield { operationId: "getRentalFees", path: "/network/fees/rental", moves: true };
  yield { operationId: "getTransactionFees", path: "/network/fees/transaction", moves: true };
  yield { operationId: "getNetworkInflation", path: "/network/inflation" };
  yield { operationId: "getMaxCurrencySupply", path: "/network/currency/supply/max" };
  yield { operationId: "getTotalCurrencySupply", path: "/network/currency/supply/total", moves: true };
  yield { operationId: "getCirculatingCurrencySupply", path: "/network/currency/supply/circulating", moves: true };
  yield { operationId: "getNodeHealth", path: "/node/health", moves: true };
  yield { operationId: "getNodeInfo", path: "/node/info" };
  yield { operationId: "getNodePeers", path: "/node/peers" };
  yield { operationId: "getNodeStorage", path: "/node/storage" };
  yield { operationId: "getNodeTime", path: "/node/time" };
  yield { operationId: "getServerInfo", path: "/node/server" };
  yield { operationId: "getUnlockedAccount", path: "/node/unlockedaccount" };
  for (const height of random.heights(1, highest, few(size))) {
    yield { operationId: "getNetworkInflationAtHeight", path: `/network/inflation/at/${height}` };
    yield { operationId: "getFinalizationProofAtHeight", path: `/finalization/proof/height/${height}` };
  }
  for (const one of random.heights(1, epoch, few(size))) {
    yield { operationId: "getFinalizationProofAtEpoch", path: `/finalization/proof/epoch/${one}` };
  }
}

function* blockRequests({ highest, size, random }: PlanOptions): Generator<CompareRequest> {
  for (const height of random.heights(1, highest, size)) {
    yield { operationId: "getBlockByHeight", path: `/blocks/${height}` };
    const list = LISTS.transactions;
    for (const embedded of ["", "&embedded=true"]) {
      const path = `/transactions/confirmed?height=${height}&pageSize=100&order=asc${embedded}`;
      yield { operationId: "searchConfirmedTransactions", path, list };
    }
    const page = `height=${height}&pageSize=100&order=asc`;
    const of = (kind: string) => `/statements/${kind}?${page}`;
    const [statements, resolutions] = [LISTS.transactionStatements, LISTS.resolutions];
    yield { operationId: "searchTransactionStatements", path: of("transaction"), list: statements };
    yield { operationId: "searchAddressResolutionStatements", path: of("resolutions/address"), list: resolutions };
    yield { operationId: "searchMosaicResolutionStatements", path: of("resolutions/mosaic"), list: resolutions };
  }
  const blocks = { operationId: "searchBlocks", list: LISTS.blocks } as const;
  for (const height of random.heights(1, highest, few(size))) {
    for (const order of ["asc", "desc"]) {
      const isBelow = order === "desc" || height + 10 <= highest;
      const path = `/blocks?orderBy=height&offset=${height}&order=${order}&pageSize=10`;
      yield { ...blocks, path, ...(!isBelow && { moves: true }) };
    }
  }
  yield { ...blocks, path: "/blocks?order=desc&pageSize=100", moves: true };
  yield { ...blocks, path: "/blocks?order=asc&pageSize=100&pageNumber=2", moves: highest < 200 };
}

function* transactionSearches({ highest, size, random }: PlanOptions): Generator<CompareRequest> {
  const transactions = { operationId: "searchConfirmedTransactions", list: LISTS.transactions } as const;
  const final = `toHeight=${highest}`;
  for (const type of TRANSACTION_TYPES) {
    for (const order of ["asc", "desc"]) {
      for (const embedded of ["", "&embedded=true"]) {
        const path = `/transactions/confirmed?type=${type}&${final}&order=${order}&pageSize=25${embedded}`;
        yield { ...transactions, path };
      }
    }
  }
  const several = "type=16724&type=16705&type=16961";
  yield { ...transactions, path: `/transactions/confirmed?${several}&${final}&order=desc&pageSize=100` };
  for (const height of random.heights(1, highest, few(size))) {
    for (const pageNumber of [1, 2]) {
      const path = `/transactions/confirmed?fromHeight=${height}&${final}&order=asc&pageSize=50&pageNumber=${pageNumber}`;
      yield { ...transactions, path };
    }
  }
}

function* statementSearches({ highest }: PlanOptions): Generator<CompareRequest> {
  const page = `toHeight=${highest}&order=desc&pageSize=25`;
  for (const type of RECEIPT_TYPES) {
    const path = `/statements/transaction?receiptType=${type}&${page}`;
    yield { operationId: "searchTransactionStatements", path, list: LISTS.transactionStatements };
  }
}

/** Fewer requests for things that vary little. */
function few(size: number): number {
  return Math.max(1, Math.ceil(size / 5));
}

/** The numbers of an enumeration of the client library. */
function numbersOf(enumeration: object): readonly number[] {
  const values = Object.values(enumeration) as readonly { readonly value?: unknown }[];
  return values.map(({ value }) => value).filter((value) => typeof value === "number");
}
