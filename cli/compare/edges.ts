import { argumentsIn, type CompareRequest, type DifferenceId, filled, OPERATIONS } from "./requests.js";

/** Values that have the type of a path parameter but match nothing. */
const ABSENT: Readonly<Record<string, string>> = {
  ...{ height: "99999999", mosaicId: "7FFFFFFFFFFFFFFF", namespaceId: "FFFFFFFFFFFFFFFF" },
  ...Object.fromEntries(["accountId", "compositeHash", "hash", "transactionId"].map((name) => [name, "F".repeat(64)])),
};
const MALFORMED = "zz";
/** Has the form of an address, but an invalid checksum. */
const UNCHECKED_ADDRESS = "TBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB";
const PAGE = "order=asc&pageSize=20";

/** Unacceptable arguments, by the difference between the modes that they show. */
const EDGES: readonly (readonly [shows: DifferenceId | undefined, ...paths: readonly string[]])[] = [
  ["defaultOrder", "/blocks?pageSize=20", "/blocks?order=&pageSize=20"],
  ["defaultPageSize", "/blocks?order=asc", "/blocks?pageSize=&order=asc"],
  ["clampsPageSize", "/blocks?pageSize=9&order=asc", "/blocks?pageSize=101&order=asc"],
  ["takesPageZero", "/blocks?pageNumber=0&order=asc&pageSize=10"],
  ["takesUnknownOrder", "/blocks?order=foo&pageSize=10"],
  ["malformedIsUnacceptable", "/blocks?pageSize=abc", "/blocks?offset=zz", "/blocks?signerPublicKey=zz"],
  ["malformedIsUnacceptable", ...["type=abc", "height=abc", "embedded=TRUE"].map(ofTransactions)],
  ["malformedIsUnacceptable", `/statements/transaction?artifactId=zz&${PAGE}`],
  ["findsNothingOutOfRange", ofTransactions("type=70000"), "/blocks/18446744073709551616"],
  ["findsNothingOutOfRange", `/namespaces?aliasType=9&${PAGE}`, `/namespaces?registrationType=9&${PAGE}`],
  ["findsNothingOutOfRange", `/metadata?metadataType=9&${PAGE}`, `/restrictions/mosaic?entryType=9&${PAGE}`],
  ["takesUncheckedAddresses", ofTransactions(`address=${UNCHECKED_ADDRESS}`)],
  ["findsNothingBetweenCrossedBounds", ofTransactions("fromHeight=5&toHeight=2")],
  ["ignoresUnknownParameters", `/blocks?unknown=1&${PAGE}`],
  [undefined, ...["height=0", "fromTransferAmount=1", "type=&address=&height=1"].map(ofTransactions)],
  [undefined, ...["height=0", "receiptType=&height=1"].map((query) => `/statements/transaction?${query}&${PAGE}`)],
  [undefined, ...["offset=", "pageNumber=", "signerPublicKey=", "pageNumber=99999"].map(ofBlocks)],
  [undefined, "/blocks?orderBy=foo", `/accounts?orderBy=balance&${PAGE}`, "/blocks/0"],
];

function ofBlocks(query: string): string {
  return `/blocks?${query}&${PAGE}`;
}

function ofTransactions(query: string): string {
  return `/transactions/confirmed?${query}&${PAGE}`;
}

/** Differences between the modes, and errors: absent, malformed or contradictory arguments. */
export function* edgeRequests(): Generator<CompareRequest> {
  for (const route of OPERATIONS) {
    const { method, path } = route;
    const parameters = argumentsIn(route, "path");
    const fill = (value: (name: string) => string) => filled(route, ...parameters.map(value));
    if (method === "GET" && parameters.length > 0) {
      const malformed = fill((name) => (name === "height" && parameters.length > 1 ? "1" : MALFORMED));
      yield { route, path: malformed, shows: "malformedIsUnacceptable", isEmpty: true };
      const unchecked = fill(() => UNCHECKED_ADDRESS);
      if (/\{(address|accountId)\}/.test(path))
        yield { route, path: unchecked, shows: "takesUncheckedAddresses", isEmpty: true };
      if (parameters.every((name) => ABSENT[name])) yield { route, path: fill((name) => ABSENT[name]!) };
    }
    const [member, argument] = Object.entries(route.arguments)[0] ?? [];
    if (method !== "POST" || !member || !argument?.list || /\/(unconfirmed|partial)$/.test(path)) continue;
    yield { route, path, body: { [member]: [MALFORMED] }, shows: "malformedIsUnacceptable", isEmpty: true };
    for (const body of [{}, { [member]: [] }]) yield { route, path, body, isEmpty: true };
  }
  for (const [shows, ...paths] of EDGES) {
    for (const path of paths) {
      const start = path.replace(/\?.*/, "").replace(/\d+$/, "{height}");
      const route = OPERATIONS.find((one) => one.method === "GET" && one.path === start)!;
      yield { route, path, shows };
    }
  }
}
