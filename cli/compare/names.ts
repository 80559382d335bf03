import { createHash } from "node:crypto";
import { encodeAddress, isAliasAddress } from "../../catapult/entity/address.js";
import { decodeMetalChunk, formatMetalId } from "../../catapult/state/metal.js";
import type { Answer } from "./client.js";
import { at, isObject, type Json } from "./json.js";
import { type CompareRequest, filled, listOf, OPERATIONS, pathFor } from "./requests.js";
import { statementHash } from "./statement-hash.js";

/** Kinds of names, each with the members that have them: the last ones of a position, and the form. */
const KINDS: readonly (readonly [kind: string, position: RegExp, form: RegExp])[] = [
  ["address", /address$/i, /^[0-9A-F]{48}$/],
  ["publicKey", /signerPublicKey$/, /^[0-9A-F]{64}$/],
  // The highest bit of an id marks a namespace id.
  ["mosaicId", /(\.id|Id|resolved)$/, /^[0-7][0-9A-F]{15}$/],
  ["namespaceId", /(\.id|Id|resolved|level[012])$/, /^[89A-F][0-9A-F]{15}$/],
  ["metadata", /metadataEntry\.compositeHash$/, /^[0-9A-F]{64}$/],
  ["mosaicRestriction", /mosaicRestrictionEntry\.compositeHash$/, /^[0-9A-F]{64}$/],
  ["secretLock", /lock\.compositeHash$/, /^[0-9A-F]{64}$/],
  ["hashLock", /lock\.hash$/, /^[0-9A-F]{64}$/],
];
const ENTITY_ID = /^[0-9A-Fa-f]{24}$/;
const LOWEST_ERROR = 400;
/** Requests with ids for each operation. */
const FOLLOW_UPS = 3;
/** Of a transaction type, and of pending transactions: this fraction of the sample, and at least two. */
const SHARE_OF_TYPE = 10;

/** Bounded samples of what the responses of both gateways name: the same with the same seed, whatever their order. */
export class Names {
  readonly #kinds = new Map<string, Map<string, string>>();
  /** The highest rank of a full sample. */
  readonly #worst = new Map<string, string>();
  readonly #followUps: CompareRequest[] = [];
  readonly #size: number;
  readonly #seed: number;
  readonly #highest: number;

  /** @param highest transactions above this height are ignored: they may still change */
  constructor({ size, seed, highest }: { size: number; seed: number; highest: number }) {
    this.#size = size;
    this.#seed = seed;
    this.#highest = highest;
  }

  /** The sample of a kind; of `transaction`, it has some of each type, as `height hash merkleComponentHash`. */
  of(kind: string): readonly string[] {
    return [...this.#kinds]
      .filter(([name]) => name.split(" ", 1)[0] === kind)
      .flatMap(([, names]) => [...names.values()]);
  }

  /** Collects the names in both responses, and the ids after which a page begins, which differ between gateways. */
  collectAnswers(request: CompareRequest, ...answers: readonly [Answer, Answer]): void {
    for (const { status, body } of answers) if (status < LOWEST_ERROR) this.collect(body);
    const [path, list] = [pathFor(request, "ours"), listOf(request)];
    const [last, other] = answers.map(({ body }) => (at(body, "data") as readonly Json[] | undefined)?.at?.(-1));
    const [id, otherId] = [at(last, "id"), at(other, "id")].filter((value) => ENTITY_ID.test(String(value)));
    if (!list || !otherId || list.keyOf(last!) !== list.keyOf(other!) || !/^(?!.*(offset=|By=)).*order=/.test(path))
      return;
    const same = this.#followUps.filter(({ route }) => route === request.route);
    if (same.length >= FOLLOW_UPS) return;
    this.#followUps.push({ ...request, path: { ours: `${path}&offset=${id}`, theirs: `${path}&offset=${otherId}` } });
    const route = OPERATIONS.find((one) => one.operationId === "getConfirmedTransaction")!;
    if (request.route.operationId !== "searchConfirmedTransactions") return;
    this.#followUps.push({ route, path: { ours: filled(route, `${id}`), theirs: filled(route, `${otherId}`) } });
  }

  /** Requests that name entries by ids: pages after them, and transactions. */
  *followUps(): Generator<CompareRequest> {
    yield* [...this.#followUps];
  }

  /** Collects the names in a body. */
  collect(value: Json | undefined, position = ""): void {
    if (Array.isArray(value)) for (const entry of value) this.collect(entry, position);
    else if (isObject(value)) {
      this.#collectEntry(value);
      for (const [name, inner] of Object.entries(value)) this.collect(inner, `${position}.${name}`);
    } else if (typeof value === "string") {
      const kinds = KINDS.filter(([, members, form]) => members.test(position) && form.test(value));
      for (const [kind] of kinds) this.#add(kind, kind === "address" ? readableAddress(value) : value);
    }
  }

  #collectEntry({ meta, transaction, statement, metadataEntry }: { readonly [name: string]: Json }): void {
    if (metadataEntry !== undefined) this.#add("metalId", metalIdOf(metadataEntry));
    const found = statement === undefined ? undefined : statementHash(statement);
    if (found && Number(at(statement, "height")) <= this.#highest)
      this.#add("statement", `${at(statement, "height")} ${found}`);
    const [hash, height] = [at(meta, "hash"), Number(at(meta, "height"))];
    if (transaction === undefined || typeof hash !== "string" || !(height <= this.#highest)) return;
    const merkleComponentHash = at(meta, "merkleComponentHash") ?? hash;
    if (height === 0) this.#add("pending", hash);
    else this.#add(`transaction ${at(transaction, "type")}`, `${height} ${hash} ${merkleComponentHash}`);
  }

  /** Keeps a name if its rank is among the lowest, so that each has the same chance. */
  #add(kind: string, name: string | undefined): void {
    if (name === undefined) return;
    const rank = createHash("sha256").update(`${this.#seed} ${name}`).digest("base64");
    const size = kind.includes(" ") ? Math.max(2, Math.ceil(this.#size / SHARE_OF_TYPE)) : this.#size;
    const kept = this.#kinds.get(kind) ?? new Map<string, string>();
    const worst = this.#worst.get(kind);
    if (kept.has(rank) || (worst !== undefined && rank > worst)) return;
    this.#kinds.set(kind, kept.set(rank, name));
    if (kept.size > size && worst !== undefined) kept.delete(worst);
    if (kept.size === size) this.#worst.set(kind, [...kept.keys()].sort().at(-1)!);
  }
}

/** Undefined for an alias. */
function readableAddress(digits: string): string | undefined {
  const bytes = Buffer.from(digits, "hex");
  return isAliasAddress(bytes) ? undefined : encodeAddress(bytes);
}

/** The Metal id of an entry whose value is part of a file; undefined for other entries. */
function metalIdOf(entry: Json): string | undefined {
  const [hash, key, value] = ["compositeHash", "scopedMetadataKey", "value"].map((name) => at(entry, name));
  try {
    decodeMetalChunk(BigInt(`0x${key}`), Buffer.from(String(value), "hex"));
    return formatMetalId(Buffer.from(String(hash), "hex"));
  } catch {
    return undefined;
  }
}
