import { createHash } from "node:crypto";
import { encodeAddress, isAliasAddress } from "../../catapult/entity/address.js";
import { decodeMetalChunk, formatMetalId } from "../../catapult/state/metal.js";
import type { Answer } from "./client.js";
import { at, identityOf, isObject, type Json } from "./json.js";
import { type CompareRequest, filled, operation, pathFor } from "./requests.js";
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
/** Of a transaction type: this fraction of the sample, and at least two. */
const SHARE_OF_TYPE = 10;

/** Bounded samples of what the responses of both gateways name: the same with the same seed, whatever their order. */
export class Names {
  /** By kind: names by their rank. */
  readonly #kinds = new Map<string, Map<string, string>>();
  readonly #followUps: CompareRequest[] = [];
  readonly #options: { readonly size: number; readonly seed: number; readonly highest: number };

  /** @param options transactions above the height `highest` are ignored: they may still change */
  constructor(options: { size: number; seed: number; highest: number }) {
    this.#options = options;
  }

  /** The sample of a kind; of `transaction`, it has some of each type, as `height hash merkleComponentHash`. */
  of(kind: string): readonly string[] {
    const kinds = [...this.#kinds].filter(([name]) => name.split(" ", 1)[0] === kind);
    return kinds.flatMap(([name, kept]) => [...this.#lowest(name, kept).values()]);
  }

  /** Collects the names in both responses, and the ids after which a page begins, which differ between gateways. */
  collectAnswers(request: CompareRequest, ...answers: readonly [Answer, Answer]): void {
    for (const { status, body } of answers) if (status < LOWEST_ERROR) this.collect(body);
    const { route } = request;
    const pages = answers.map(({ body }) => at(body, "data"));
    const [last = "", other = ""] = pages.map((entries) => (Array.isArray(entries) ? entries.at(-1) : undefined));
    const [id, otherId] = [at(last, "id"), at(other, "id")].filter((value) => ENTITY_ID.test(String(value)));
    const [path, same] = [pathFor(request, "ours"), this.#followUps.filter((one) => one.route === route)];
    if (!otherId || identityOf(last) !== identityOf(other) || same.length >= FOLLOW_UPS) return;
    if (!/^(?!.*(offset=|By=)).*order=/.test(path)) return;
    this.#followUps.push({ route, path: { ours: `${path}&offset=${id}`, theirs: `${path}&offset=${otherId}` } });
    if (route.operationId !== "searchConfirmedTransactions") return;
    const one = operation("getConfirmedTransaction");
    this.#followUps.push({ route: one, path: { ours: filled(one, `${id}`), theirs: filled(one, `${otherId}`) } });
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
    const { highest } = this.#options;
    if (metadataEntry !== undefined) this.#add("metalId", metalIdOf(metadataEntry));
    const found = statement === undefined ? undefined : statementHash(statement);
    const statedAt = Number(at(statement, "height"));
    if (found && statedAt <= highest) this.#add("statement", `${statedAt} ${found}`);
    const [hash, height] = [at(meta, "hash"), Number(at(meta, "height"))];
    if (transaction === undefined || typeof hash !== "string" || !(height <= highest)) return;
    const merkleComponentHash = at(meta, "merkleComponentHash") ?? hash;
    if (height === 0) this.#add("pending", hash);
    else this.#add(`transaction ${at(transaction, "type")}`, `${height} ${hash} ${merkleComponentHash}`);
  }

  #add(kind: string, name: string | undefined): void {
    if (name === undefined) return;
    const { seed, size } = this.#options;
    const kept = this.#kinds.get(kind) ?? new Map<string, string>();
    kept.set(createHash("sha256").update(`${seed} ${name}`).digest("base64"), name);
    this.#kinds.set(kind, kept.size > 2 * size ? this.#lowest(kind, kept) : kept);
  }

  /** The names of the lowest ranks: each name has the same chance. */
  #lowest(kind: string, kept: ReadonlyMap<string, string>): Map<string, string> {
    const { size } = this.#options;
    const most = kind.includes(" ") ? Math.max(2, Math.ceil(size / SHARE_OF_TYPE)) : size;
    return new Map([...kept].sort(([left], [right]) => (left < right ? -1 : 1)).slice(0, most));
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
