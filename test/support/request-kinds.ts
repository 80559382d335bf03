import { get, post } from "./raw-client.js";

/** The n-th request of a kind. */
export type RequestOfKind = (n: number) => string;

const NO_HASHES = Array.from({ length: 100 }, () => "0".repeat(64));

/**
 * A request of each kind of route. Different ones of a kind are not answered from what is kept.
 * @param token that gives access to GraphQL
 * @param height number of blocks
 */
export function requestKinds(token: string, height: number): readonly (readonly [kind: string, RequestOfKind])[] {
  const within = (n: number) => 1 + (n % height);
  const block = (n: number) => ({ query: `{ block(height: ${within(n)}) { hash } }` });
  return [
    ["a page", (n) => get(`/blocks?pageSize=100&pageNumber=${within(n)}`)],
    ["a page that is kept", () => get("/blocks?pageSize=100")],
    ["a page with the tag of another", (n) => get(`/blocks?pageSize=20&pageNumber=${within(n)}`, 'If-None-Match: "x"')],
    ["a kept page with the tag of another", () => get("/blocks?pageSize=20", 'If-None-Match: "x"')],
    ["a compressed page", (n) => get(`/transactions/confirmed?pageSize=${10 + (n % 90)}`, "Accept-Encoding: gzip")],
    ["headers only", (n) => get(`/blocks?pageSize=30&pageNumber=${within(n)}`).replace("GET", "HEAD")],
    ["a look-up", (n) => get(`/blocks/${within(n)}`)],
    ["the head", () => get("/chain/info")],
    ["state", () => get("/accounts?pageSize=100")],
    ["a few look-ups in one", (n) => post("/accounts", { publicKeys: [n.toString(16).padStart(64, "0")] })],
    ["100 look-ups in one", () => post("/transactions/confirmed", { transactionIds: NO_HASHES })],
    ["an export", () => get(`/transactions/confirmed.csv?fromHeight=1&toHeight=${height}`)],
    ["an announcement", () => post("/transactions", { payload: "00".repeat(200) }).replace("POST", "PUT")],
    ["GraphQL", (n) => post("/graphql", block(n), `Authorization: Bearer ${token}`)],
    ["the metrics", () => get("/metrics")],
    ["what only a node knows", () => get("/node/info")],
    ["a stream of messages", () => get("/events?topic=block")],
    ["a path that does not exist", (n) => get(`/nothing/${n}`)],
    ["nonsense to expect", () => get("/blocks/1", "Expect: nonsense")],
    ["a preflight", () => get("/blocks/1").replace("GET", "OPTIONS")],
  ];
}

/** A look-up of so much that few places are for it. */
export const LARGE_LOOK_UP = post("/transactions/confirmed", { transactionIds: NO_HASHES });
