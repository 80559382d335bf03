#!/usr/bin/env node
// Sends the same requests to two gateways of one network, and prints what differs. It is no part of the program:
//   node tools/compare.mjs http://new:3000 http://old:3000 [--sample 20] [--seed 1]
// Exit code 0: nothing differs; 1: something does, or a gateway does not respond; 2: the arguments are wrong.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const TRIES = 3;
const AT_ONCE = 4;
const TIMEOUT_MS = 20_000;
const EXAMPLES = 3;
/** Lists whose order is not specified, by their names; "" is the whole answer. */
const UNORDERED = ["", "data", "multisigEntries", "accountNames", "mosaicNames", "names"];
/** They describe the gateway or its node, or follow neither the chain nor its state. */
const NOT_COMPARED = /^\/(node\/|events$|metadata\/metal|transactions\/simulate|$|ready|metrics|\w+\.json)|\.csv$/;
/** Its argument is computed from a whole statement. */
const NEEDS_STATEMENT = "/blocks/{height}/statements/{hash}/merkle";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string", default: "20" }, seed: { type: "string", default: String(Date.now() % 1e6) } },
});
const [ours, theirs] = positionals.map((url) => url.replace(/\/$/, ""));
const [sample, seed] = [Number(values.sample), Number(values.seed)];
if (!URL.canParse(ours ?? "") || !URL.canParse(theirs ?? "") || !(sample > 0) || Number.isNaN(seed)) {
  console.error("Usage: node tools/compare.mjs <address> <other address> [--sample 20] [--seed 1]");
  process.exit(2);
}

let state = seed;
/** A repeatable random number from 0 to below `bound` (mulberry32). */
function random(bound) {
  state = (state + 0x6d2b79f5) | 0;
  let bits = Math.imul(state ^ (state >>> 15), 1 | state);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * bound);
}

async function send(gateway, { method, path, body }) {
  const init = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const options = { method, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS), ...init };
  const response = await fetch(gateway + path, options);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

const get = async (gateway, path) => (await send(gateway, { method: "GET", path })).body;

/** What both gateways must have in common: no ids of entries, no order of lists that have none, no texts of errors. */
function normalized({ status, body }) {
  if (status >= 400) return { status, code: body?.code === "NotFound" ? "ResourceNotFound" : body?.code };
  return { status, body: withoutIds(body, "") };
}

function withoutIds(value, name) {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => withoutIds(entry, ""));
    return UNORDERED.includes(name) ? entries.sort(byText) : entries;
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(
    ([key, inner]) => !(key === "id" && /^[0-9a-f]{24}$/i.test(inner)) && !/^total(Entries|Pages)$/.test(key),
  );
  // Mosaics of a transaction are signed in their order, those of an account have none.
  const nameOf = (key) => (key === "mosaics" && "addressHeight" in value ? "" : key);
  return Object.fromEntries(members.map(([key, inner]) => [key, withoutIds(inner, nameOf(key))]));
}

const byText = (one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** The positions at which two values differ, with both values. */
function differences(one, other, path = "") {
  const areObjects = [one, other].every((value) => typeof value === "object" && value !== null);
  if (!areObjects || Array.isArray(one) !== Array.isArray(other)) {
    return one === other ? [] : [{ path: path || "response", one, other }];
  }
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences(one[key], other[key], Array.isArray(one) ? `${path}[]` : `${path}.${key}`));
}

/** Names found in answers, by the kind of argument that they may be. */
const names = new Map();

function note(kind, name) {
  if (!names.has(kind)) names.set(kind, new Set());
  names.get(kind).add(name);
}

/** Collects names from an answer to a request for `path`. */
function collect(path, value, key = "") {
  if (Array.isArray(value)) for (const entry of value) collect(path, entry, key);
  else if (typeof value === "object" && value !== null) {
    const { hash, height } = value.meta ?? {};
    if (hash && height && value.transaction) {
      note("transaction", hash);
      note("transactionInBlock", `${height}/transactions/${hash}`);
    }
    for (const [inner, one] of Object.entries(value)) collect(path, one, inner);
  } else if (/address$/i.test(key) && /^[0-9A-F]{48}$/.test(value)) {
    // The lowest bit of the first byte marks an alias in place of an address.
    if (Number.parseInt(value.slice(0, 2), 16) % 2 === 0) note("address", base32(value));
  } else if (key === "signerPublicKey") note("publicKey", value);
  else if (key === "compositeHash") note(`compositeHash${path}`, value);
  else if (key === "hash" && path === "/lock/hash") note("lock", value);
  else if (/^(id|mosaicId|level[012]|namespaceId)$/.test(key) && /^[0-9A-F]{16}$/.test(value)) {
    note(value < "8" ? "mosaicId" : "namespaceId", value);
  }
}

function base32(hex) {
  const bits = [...Buffer.from(`${hex}00`, "hex")].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = bits.match(/.{5}/g).map((five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number.parseInt(five, 2)]);
  return digits.join("").slice(0, 39);
}

function pick(kind) {
  const all = [...(names.get(kind) ?? [])];
  return all.length > 0 ? all[random(all.length)] : undefined;
}

/** A value for an argument of a path, of a query or of a body; undefined if none is known. */
function argumentFor(name, path, { height, epoch }) {
  const list = path.replace(/\/\{.*$/, "").replace(/^\/account\/\{address\}/, "");
  if (name === "height") return String(1 + random(height));
  if (name === "epoch") return String(1 + random(epoch));
  if (/^(accountId|address|addresses)$/.test(name)) return pick("address");
  if (/^(mosaicId|mosaicIds)$/.test(name)) return pick("mosaicId");
  if (/^(namespaceId|namespaceIds)$/.test(name)) return pick("namespaceId");
  if (name === "signerPublicKey") return pick("publicKey");
  if (/^compositeHash/.test(name)) return pick(`compositeHash${list}`);
  if (/^hash(es)?$/.test(name)) return pick(list === "/lock/hash" ? "lock" : "transaction");
  return /^transactionIds?$/.test(name) ? pick("transaction") : undefined;
}

/** The requests of an operation. */
function* requestsOf({ path, method, operation }, chain) {
  const parameters = operation.parameters ?? [];
  const inQuery = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  const properties = operation.requestBody?.content?.["application/json"]?.schema?.properties;
  const isFixed = method === "GET" && !path.includes("{") && !inQuery.includes("pageSize");
  for (let count = 0; count < (isFixed ? 1 : sample); count++) {
    if (method === "POST") {
      const [name] = Object.keys(properties ?? {});
      const keys = [...new Set([1, 2, 3].map(() => argumentFor(name, path, chain)))].filter((key) => key !== undefined);
      if (keys.length > 0) yield { method, path, body: { [name]: keys } };
      continue;
    }
    const missing = [];
    const inBlock = path === "/blocks/{height}/transactions/{hash}/merkle" && pick("transactionInBlock");
    const filled = inBlock
      ? `/blocks/${inBlock}/merkle`
      : path.replace(/\{(\w+)\}/g, (_, name) => argumentFor(name, path, chain) ?? missing.push(name));
    if (missing.length > 0) continue;
    const query = new URLSearchParams();
    if (inQuery.includes("pageSize")) {
      query.set("pageSize", "20");
      query.set("order", count % 2 === 0 ? "asc" : "desc");
      query.set("pageNumber", String(1 + (count % 3)));
      const filters = inQuery.map((name) => [name, argumentFor(name, path, chain)]).filter(([, value]) => value);
      const [name, value] = filters[random(filters.length)] ?? [];
      if (name && count % 2 === 1) query.set(name, value);
      if (inQuery.includes("toHeight") && query.get("order") === "desc") query.set("toHeight", String(chain.height));
    }
    yield { method, path: query.size > 0 ? `${filled}?${query}` : filled };
  }
}

/** Sends a request to both, again while they differ and blocks may have come between. */
async function compare(request) {
  let found = [];
  for (let tried = 0; tried < TRIES; tried++) {
    if (tried > 0) await sleep(1_000);
    const answers = await Promise.all([send(ours, request), send(theirs, request)]);
    found = differences(...answers.map(normalized));
    if (found.length === 0) return { answer: answers[0].body, found };
  }
  return { found };
}

async function main() {
  const [infos, blocks, description] = [
    await Promise.all([get(ours, "/chain/info"), get(theirs, "/chain/info")]),
    await Promise.all([get(ours, "/blocks/1"), get(theirs, "/blocks/1")]),
    await get(ours, "/openapi.json"),
  ];
  if (!description.paths) throw new Error(`${ours} has no /openapi.json`);
  if (blocks[0].meta?.hash !== blocks[1].meta?.hash) throw new Error("The two serve different networks");
  const finalized = infos.map(({ latestFinalizedBlock }) => latestFinalizedBlock);
  const height = Math.min(...finalized.map((one) => Number(one.height)));
  const epoch = Math.min(...finalized.map((one) => Number(one.finalizationEpoch)));
  console.log(`Comparing ${ours} with ${theirs}, blocks 1 to ${height}, sample ${sample}, seed ${seed}.`);
  const operations = Object.entries(description.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .filter(
      ({ path, method }) => ["GET", "POST"].includes(method) && !NOT_COMPARED.test(path) && path !== NEEDS_STATEMENT,
    )
    // Lists first: later requests are for what they name.
    .sort(
      (one, other) =>
        one.path.includes("{") + (one.method === "POST") - other.path.includes("{") - (other.method === "POST"),
    );
  const byPattern = new Map();
  let equal = 0;
  for (const operation of operations) {
    const requests = [...requestsOf(operation, { height, epoch })];
    let different = 0;
    const work = async () => {
      for (let request = requests.shift(); request; request = requests.shift()) {
        const { answer, found } = await compare(request);
        collect(operation.path, answer);
        if (found.length === 0) equal += 1;
        else different += 1;
        for (const { path, one, other } of found.slice(0, 1)) {
          const pattern = `${operation.method} ${operation.path}: ${path}`;
          const example = [
            request.path,
            request.body,
            `ours ${JSON.stringify(one)}`,
            `theirs ${JSON.stringify(other)}`,
          ];
          byPattern.set(pattern, [...(byPattern.get(pattern) ?? []), example]);
        }
      }
    };
    const count = requests.length;
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    console.log(`${operation.method} ${operation.path}: ${count - different} equal, ${different} different`);
  }
  for (const [pattern, examples] of byPattern) {
    console.log(`\n${pattern} (${examples.length} requests)`);
    for (const [path, body, one, other] of examples.slice(0, EXAMPLES)) {
      // Control characters would be interpreted by a terminal.
      const text = `${path}${body ? ` ${JSON.stringify(body)}` : ""}\n      ${one}\n      ${other}`;
      console.log(`    ${text.replace(/[^\n\x20-\x7e]/g, "?").slice(0, 1_000)}`);
    }
  }
  const different = [...byPattern.values()].flat().length;
  console.log(`\n${equal} requests equal, ${different} different.`);
  return different === 0 ? 0 : 1;
}

process.exitCode = await main().catch((error) => {
  console.error(`${error.message}${error.cause ? `: ${error.cause.message}` : ""}`);
  return 1;
});
