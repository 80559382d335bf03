import type { DifferenceId } from "./documented-differences.js";
import { LISTS } from "./list-forms.js";
import { OPERATION_IDS, type OperationId, routeOf } from "./operations.js";
import type { CompareRequest } from "./request.js";

/** Values that have the type of a path parameter but match nothing. */
const ABSENT: Readonly<Record<string, string>> = {
  accountId: "F".repeat(64),
  compositeHash: "F".repeat(64),
  hash: "F".repeat(64),
  height: "99999999",
  mosaicId: "7FFFFFFFFFFFFFFF",
  namespaceId: "FFFFFFFFFFFFFFFF",
  transactionId: "F".repeat(64),
};
const MALFORMED = "zz";
/** Has the form of an address, but an invalid checksum. */
const UNCHECKED_ADDRESS = "TBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB";

/** Differences between the modes, and errors: absent, malformed or contradictory arguments. */
export function* edgeRequests(): Generator<CompareRequest> {
  for (const operationId of OPERATION_IDS) yield* edgesOf(operationId);
  yield* pageEdges();
  yield* searchEdges();
  yield* bodyEdges();
}

function* edgesOf(operationId: OperationId): Generator<CompareRequest> {
  const [method, path = ""] = routeOf(operationId).split(" ");
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (method !== "GET" || parameters.length === 0) return;
  const fill = (value: (name: string) => string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name));
  const isFromNode = operationId.endsWith("Merkle") || operationId.startsWith("getFinalizationProof");
  const moves = isFromNode && { moves: true };
  yield {
    operationId,
    path: fill((name) => (name === "height" && parameters.length > 1 ? "1" : MALFORMED)),
    shows: "malformedIsUnacceptable",
  };
  if (path.includes("{address}") || path.includes("{accountId}")) {
    yield { operationId, path: fill(() => UNCHECKED_ADDRESS), shows: "takesUncheckedAddresses" };
  }
  if (parameters.some((name) => ABSENT[name] === undefined)) return;
  yield { operationId, path: fill((name) => ABSENT[name] ?? ""), ...moves };
}

function* pageEdges(): Generator<CompareRequest> {
  const blocks = { operationId: "searchBlocks", list: LISTS.blocks, moves: true } as const;
  const edges: readonly (readonly [query: string, shows: DifferenceId])[] = [
    ["?pageSize=20", "defaultOrder"],
    ["?order=asc", "defaultPageSize"],
    ["?pageSize=9&order=asc", "clampsPageSize"],
    ["?pageSize=101&order=asc", "clampsPageSize"],
    ["?pageNumber=0&order=asc&pageSize=10", "takesPageZero"],
    ["?order=foo&pageSize=10", "takesUnknownOrder"],
    ["?pageSize=abc", "malformedIsUnacceptable"],
    ["?offset=zz", "malformedIsUnacceptable"],
    ["?signerPublicKey=zz", "malformedIsUnacceptable"],
  ];
  for (const [query, shows] of edges) yield { ...blocks, path: `/blocks${query}`, shows };
  const plain = ["order=", "offset=", "pageNumber=", "pageSize=", "signerPublicKey=", "unknown=1"];
  for (const query of plain) {
    const rest = ["order", "pageSize"].filter((name) => !query.startsWith(name));
    const given = rest.map((name) => (name === "order" ? "order=asc" : "pageSize=20")).join("&");
    const shows = query === "order=" ? "defaultOrder" : query === "pageSize=" ? "defaultPageSize" : undefined;
    yield { ...blocks, path: `/blocks?${query}&${given}`, ...(shows && { shows }) };
  }
  yield { ...blocks, path: "/blocks?pageNumber=99999&order=asc&pageSize=20" };
  yield { ...blocks, path: "/blocks?orderBy=foo" };
}

function* searchEdges(): Generator<CompareRequest> {
  const confirmed = { operationId: "searchConfirmedTransactions", list: LISTS.transactions } as const;
  const edges: readonly (readonly [query: string, shows?: DifferenceId])[] = [
    ["type=70000", "findsNothingOutOfRange"],
    ["type=abc", "malformedIsUnacceptable"],
    ["height=abc", "malformedIsUnacceptable"],
    ["embedded=TRUE", "malformedIsUnacceptable"],
    [`address=${UNCHECKED_ADDRESS}`, "takesUncheckedAddresses"],
    ["fromHeight=5&toHeight=2", "findsNothingBetweenCrossedBounds"],
    ["height=0"],
    ["fromTransferAmount=1"],
    ["type=&address=&height=1"],
  ];
  const page = "order=asc&pageSize=20";
  for (const [query, shows] of edges) {
    yield { ...confirmed, path: `/transactions/confirmed?${query}&${page}`, ...(shows && { shows }) };
  }
  const statements = { operationId: "searchTransactionStatements", list: LISTS.transactionStatements } as const;
  yield { ...statements, path: `/statements/transaction?height=0&${page}` };
  yield { ...statements, path: `/statements/transaction?receiptType=&height=1&${page}` };
  yield { ...statements, path: `/statements/transaction?artifactId=zz&${page}`, shows: "malformedIsUnacceptable" };
  const kinds: readonly (readonly [OperationId, string])[] = [
    ["searchNamespaces", "/namespaces?aliasType=9"],
    ["searchNamespaces", "/namespaces?registrationType=9"],
    ["searchMetadataEntries", "/metadata?metadataType=9"],
    ["searchMosaicRestrictions", "/restrictions/mosaic?entryType=9"],
  ];
  for (const [operationId, path] of kinds)
    yield { operationId, path: `${path}&${page}`, shows: "findsNothingOutOfRange" };
  yield { operationId: "searchAccounts", path: `/accounts?orderBy=balance&${page}` };
  yield { operationId: "getBlockByHeight", path: "/blocks/0" };
  yield { operationId: "getBlockByHeight", path: "/blocks/18446744073709551616", shows: "findsNothingOutOfRange" };
}

function* bodyEdges(): Generator<CompareRequest> {
  const lists: readonly (readonly [OperationId, string])[] = [
    ["getConfirmedTransactions", "transactionIds"],
    ["getTransactionStatuses", "hashes"],
    ["getAccountsInfo", "addresses"],
    ["getMosaics", "mosaicIds"],
    ["getMetadataEntries", "compositeHashes"],
    ["getHashLocks", "hashes"],
    ["getSecretLocks", "compositeHashes"],
    ["getAccountRestrictionsBatch", "addresses"],
    ["getMosaicRestrictionsBatch", "compositeHashes"],
    ["getNamespacesNames", "namespaceIds"],
    ["getAccountsNames", "addresses"],
    ["getMosaicsNames", "mosaicIds"],
  ];
  for (const [operationId, member] of lists) {
    const path = routeOf(operationId).replace("POST ", "");
    yield { operationId, path, body: { [member]: [MALFORMED] }, shows: "malformedIsUnacceptable" };
    yield { operationId, path, body: {} };
    yield { operationId, path, body: { [member]: [] } };
  }
}
