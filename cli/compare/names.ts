import { encodeAddress, isAliasAddress } from "../../catapult/entity/address.js";
import { decodeMetalChunk, formatMetalId } from "../../catapult/state/metal.js";
import { isObject, type Json, memberOf } from "./differences.js";
import type { Answer } from "./gateway-client.js";
import { Sample } from "./random.js";
import { statementHash } from "./statement-hash.js";

/** A transaction found in a response. */
export interface FoundTransaction {
  readonly hash: string;
  readonly merkleComponentHash: string;
  readonly height: number;
  readonly type: number;
}

/** A statement found in a response. */
export interface FoundStatement {
  readonly height: number;
  readonly hash: string;
}

/** Kinds of names that can be requested. */
const KINDS = [
  "addresses",
  "publicKeys",
  "mosaicIds",
  "namespaceIds",
  "metadataHashes",
  "metalIds",
  "hashLocks",
  "secretLocks",
  "mosaicRestrictions",
  "pendingHashes",
] as const;
export type NameKind = (typeof KINDS)[number];

const ADDRESS_HEX = /^[0-9A-F]{48}$/;
const KEY_HEX = /^[0-9A-F]{64}$/;
const ID_HEX = /^[0-9A-F]{16}$/;
const ID_MEMBER =
  /^(id|mosaicId|artifactId|namespaceId|parentId|level[012]|targetId|unresolved|resolved|targetMosaicId)$/;
/** The highest bit of an id marks a namespace id. */
const NAMESPACE_DIGIT = /^[89A-F]/;
/** Per transaction type: this fraction of the sample, and at least two. */
const SHARE_OF_TYPE = 10;

/** A bounded sample of everything that the responses of both gateways name, to be requested next. */
export class Names {
  readonly transactions: Sample<FoundTransaction>;
  readonly statements: Sample<FoundStatement>;
  readonly #ofType = new Map<number, Sample<FoundTransaction>>();
  readonly #kinds: Readonly<Record<NameKind, Sample<string>>>;
  readonly #seed: number;
  readonly #size: number;
  readonly #highest: number;

  /** @param highest names above this height are ignored: they may still change */
  constructor({ size, seed, highest }: { size: number; seed: number; highest: number }) {
    this.#seed = seed;
    this.#size = size;
    this.#highest = highest;
    this.transactions = new Sample(size, seed);
    this.statements = new Sample(size, seed);
    this.#kinds = Object.fromEntries(KINDS.map((kind) => [kind, new Sample<string>(size, seed)])) as never;
  }

  of(kind: NameKind): readonly string[] {
    return this.#kinds[kind].all;
  }

  /** Transactions of the sample, some of every type. */
  get someOfEveryType(): readonly FoundTransaction[] {
    const all = [this.transactions, ...this.#ofType.values()].flatMap((sample) => sample.all);
    return [...new Map(all.map((transaction) => [transaction.hash, transaction])).values()];
  }

  /** Collects the names in a response. */
  collect({ status, body }: Answer): void {
    if (status < 300) this.#visit(body as Json, "", undefined);
  }

  #visit(value: Json | undefined, name: string, parent: string | undefined): void {
    if (typeof value === "string") this.#text(value, name, parent);
    else if (Array.isArray(value)) for (const entry of value) this.#visit(entry, name, parent);
    else if (isObject(value)) {
      this.#entry(value);
      for (const [member, inner] of Object.entries(value)) this.#visit(inner, member, name || parent);
    }
  }

  #text(value: string, name: string, parent: string | undefined): void {
    if (ADDRESS_HEX.test(value) && /address/i.test(name)) this.#address(value);
    else if (ID_HEX.test(value) && ID_MEMBER.test(name)) {
      this.#kinds[NAMESPACE_DIGIT.test(value) ? "namespaceIds" : "mosaicIds"].add(value, value);
    } else if (!KEY_HEX.test(value)) return;
    else if (name === "signerPublicKey") this.#kinds.publicKeys.add(value, value);
    else if (name === "compositeHash") {
      const kind = {
        metadataEntry: "metadataHashes",
        lock: "secretLocks",
        mosaicRestrictionEntry: "mosaicRestrictions",
      };
      const of = kind[parent as keyof typeof kind] as NameKind | undefined;
      if (of) this.#kinds[of].add(value, value);
    } else if (name === "hash" && parent === "lock") this.#kinds.hashLocks.add(value, value);
  }

  #address(hex: string): void {
    const bytes = Buffer.from(hex, "hex");
    if (isAliasAddress(bytes)) return;
    const address = encodeAddress(bytes);
    this.#kinds.addresses.add(address, address);
  }

  #entry(entry: { readonly [name: string]: Json }): void {
    const { meta, transaction, statement, metadataEntry } = entry;
    const metalId = metadataEntry === undefined ? undefined : metalIdOf(metadataEntry);
    if (metalId !== undefined) this.#kinds.metalIds.add(metalId, metalId);
    const hash = memberOf(meta, "hash");
    const height = Number(memberOf(meta, "height") ?? memberOf(statement, "height"));
    if (transaction !== undefined && typeof hash === "string" && height === 0)
      this.#kinds.pendingHashes.add(hash, hash);
    if (!(height > 0 && height <= this.#highest)) return;
    if (transaction !== undefined && typeof hash === "string") {
      const merkleComponentHash = String(memberOf(meta, "merkleComponentHash") ?? hash);
      this.#transaction({ hash, merkleComponentHash, height, type: Number(memberOf(transaction, "type")) });
    }
    if (statement === undefined) return;
    const found = statementHash(statement);
    if (found) this.statements.add(found, { height, hash: found });
  }

  #transaction(transaction: FoundTransaction): void {
    const { hash, type } = transaction;
    this.transactions.add(hash, transaction);
    let ofType = this.#ofType.get(type);
    if (!ofType) {
      ofType = new Sample(Math.max(2, Math.ceil(this.#size / SHARE_OF_TYPE)), this.#seed);
      this.#ofType.set(type, ofType);
    }
    ofType.add(hash, transaction);
  }
}

/** The Metal id of an entry whose value is part of a file; undefined for other entries. */
function metalIdOf(entry: Json): string | undefined {
  const [hash, key, value] = ["compositeHash", "scopedMetadataKey", "value"].map((name) => memberOf(entry, name));
  try {
    decodeMetalChunk(BigInt(`0x${key}`), Buffer.from(String(value), "hex"));
    return formatMetalId(Buffer.from(String(hash), "hex"));
  } catch {
    return undefined;
  }
}
