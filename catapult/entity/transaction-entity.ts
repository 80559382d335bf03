import { TRANSACTION_LAYOUTS, type TransactionLayout } from "../structs/transaction-types.js";
import type { TransactionKind } from "../structs/type-names.js";
import { computeLayout, type StructLayout, type ValuesOf } from "../values/struct.js";
import { EMBEDDED, TRANSACTION, VERIFIABLE } from "./entity-layout.js";

/** The fields of every transaction, top-level or embedded. Read from its bytes on access. */
export interface EntityHeader {
  /** The kind of its body; `unknown` if the type, the version or the body is unknown. */
  readonly kind: TransactionKind | "unknown";
  /** Entity type. */
  readonly type: number;
  readonly version: number;
  /** Network byte. */
  readonly network: number;
  readonly signerPublicKey: Buffer;
  /** Bytes. */
  readonly size: number;
  readonly bytes: Buffer;
}

/** The fields of top-level transactions only. */
export interface TransactionHeader extends EntityHeader {
  readonly signature: Buffer;
  /** Atomic units. */
  readonly maxFee: bigint;
  /** The deadline, in ms since the network's epoch. */
  readonly deadline: bigint;
}

/** The fields of each kind of transaction. */
export type Body<K extends TransactionKind = TransactionKind> = {
  [Kind in K]: { readonly kind: Kind } & ValuesOf<(typeof TRANSACTION_LAYOUTS)[Kind]["fields"]>;
}[K];

/** A transaction whose type, version or body is unknown: the bytes after its header, and why they are not decoded. */
export interface UnknownBody {
  readonly kind: "unknown";
  readonly payload: Buffer;
  readonly problem: string;
}

/** An embedded transaction; buffers are views of the transaction's bytes. */
export type EmbeddedEntity<K extends TransactionKind | "unknown" = TransactionKind | "unknown"> = EntityHeader &
  ((K extends TransactionKind ? Body<K> : never) | (K extends "unknown" ? UnknownBody : never));

/** A top-level transaction; buffers are views of the transaction's bytes. */
export type TransactionEntity<K extends TransactionKind | "unknown" = TransactionKind | "unknown"> = TransactionHeader &
  EmbeddedEntity<K>;

/** An aggregate of any version. */
export type AggregateEntity = TransactionEntity<"aggregate_complete" | "aggregate_bonded">;

class EmbeddedView implements EntityHeader {
  declare readonly kind: TransactionKind | "unknown";
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get type(): number {
    return this.bytes.readUInt16LE(EMBEDDED.type);
  }

  get version(): number {
    return this.bytes[EMBEDDED.version]!;
  }

  get network(): number {
    return this.bytes[EMBEDDED.network]!;
  }

  get signerPublicKey(): Buffer {
    return this.bytes.subarray(EMBEDDED.signerPublicKey, EMBEDDED.bodyReserved);
  }

  get size(): number {
    return this.bytes.length;
  }
}

class TransactionView implements TransactionHeader {
  declare readonly kind: TransactionKind | "unknown";
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get type(): number {
    return this.bytes.readUInt16LE(VERIFIABLE.type);
  }

  get version(): number {
    return this.bytes[VERIFIABLE.version]!;
  }

  get network(): number {
    return this.bytes[VERIFIABLE.network]!;
  }

  get signerPublicKey(): Buffer {
    return this.bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  }

  get signature(): Buffer {
    return this.bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
  }

  get maxFee(): bigint {
    return this.bytes.readBigUInt64LE(TRANSACTION.maxFee);
  }

  get deadline(): bigint {
    return this.bytes.readBigUInt64LE(TRANSACTION.deadline);
  }

  get size(): number {
    return this.bytes.length;
  }
}

class UnknownTransactionView extends TransactionView {
  readonly problem: string;

  constructor(bytes: Buffer, problem: string) {
    super(bytes);
    this.problem = problem;
  }

  get payload(): Buffer {
    return this.bytes.subarray(TRANSACTION.headerSize);
  }
}

class UnknownEmbeddedView extends EmbeddedView {
  readonly problem: string;

  constructor(bytes: Buffer, problem: string) {
    super(bytes);
    this.problem = problem;
  }

  get payload(): Buffer {
    return this.bytes.subarray(EMBEDDED.headerSize);
  }
}

for (const { prototype } of [UnknownTransactionView, UnknownEmbeddedView])
  Object.defineProperty(prototype, "kind", { value: "unknown" });

/** The invalid field of a body, if its name is known, and the reason. */
export interface BodyProblem {
  readonly field: string;
  readonly problem: string;
}

/** Decodes bodies of one kind, after a header of one size. */
export interface BodyReader {
  readonly kind: TransactionKind;
  readonly layout: TransactionLayout;
  readonly positions: StructLayout;
  /** A view of a transaction whose body is valid. */
  view(bytes: Buffer): EntityHeader;
  /** Why these bytes are not such a body; `isStrict` as in `Field`. */
  problem(bytes: Buffer, isStrict: boolean): BodyProblem | undefined;
  /** Whether the transaction from `start` to `end` has no such problem, as part of the chain; not for one with a field that fills the rest. */
  isValidAt(bytes: Buffer, start: number, end: number): boolean;
}

/** Creates the class of views of one kind: a getter for each field, at its fixed offset. */
function makeReader(kind: TransactionKind, Base: new (bytes: Buffer) => EntityHeader, headerSize: number): BodyReader {
  const layout: TransactionLayout = TRANSACTION_LAYOUTS[kind];
  const positions = computeLayout(layout, headerSize);
  const { fixed, moving, fixedSize, end: bodyEnd } = positions;

  const BodyView = class extends Base {};
  const define = (name: string, get: (this: EntityHeader) => unknown) =>
    Object.defineProperty(BodyView.prototype, name, { get, enumerable: true });
  Object.defineProperty(BodyView.prototype, "kind", { value: kind, enumerable: true });
  for (const { name, field, offset: at } of fixed)
    define(name, function () {
      return field.read(this.bytes, at);
    });
  for (const { name, field, start: begin, end } of moving)
    define(name, function () {
      return field.read(this.bytes, begin(this.bytes, 0), end(this.bytes, 0));
    });

  const checkedFields = fixed.filter(({ field }) => field.problem);
  const checkedMoving = moving.filter(({ field }) => field.problem);
  const findProblem = (bytes: Buffer, at: number, isStrict: boolean): BodyProblem | undefined => {
    for (const { name, field, offset } of checkedFields) {
      const problem = field.problem!(bytes, at + offset, isStrict);
      if (problem) return { field: name, problem };
    }
    for (const { name, field, start: begin, end } of checkedMoving) {
      const problem = field.problem!(bytes, begin(bytes, at), end(bytes, at));
      if (problem) return { field: name, problem };
    }
    return undefined;
  };
  const sizeAt = (bytes: Buffer, at: number, end: number) =>
    end - at < fixedSize ? fixedSize : bodyEnd(bytes, at) - at;
  return {
    kind,
    layout,
    positions,
    view: (bytes) => new BodyView(bytes),
    problem(bytes, isStrict) {
      const size = sizeAt(bytes, 0, bytes.length);
      if (size !== bytes.length)
        return { field: "size", problem: `is ${bytes.length}, but the fields fill ${size} bytes` };
      return findProblem(bytes, 0, isStrict);
    },
    isValidAt: (bytes, at, end) => sizeAt(bytes, at, end) === end - at && !findProblem(bytes, at, false),
  };
}

const KINDS = Object.keys(TRANSACTION_LAYOUTS) as TransactionKind[];

/** Readers of top-level transactions by entity type. */
export const TRANSACTION_READERS: ReadonlyMap<number, BodyReader> = new Map(
  KINDS.map((kind) => [TRANSACTION_LAYOUTS[kind].type, makeReader(kind, TransactionView, TRANSACTION.headerSize)]),
);

/** Readers of embedded transactions by entity type. */
export const EMBEDDED_READERS: ReadonlyMap<number, BodyReader> = new Map(
  KINDS.filter((kind) => !("isTopLevelOnly" in TRANSACTION_LAYOUTS[kind])).map((kind) => [
    TRANSACTION_LAYOUTS[kind].type,
    makeReader(kind, EmbeddedView, EMBEDDED.headerSize),
  ]),
);

/** A transaction of which only the header is known, its first 128 bytes. */
export function unknownTransaction(bytes: Buffer, problem: string): TransactionEntity<"unknown"> {
  return new UnknownTransactionView(bytes, problem) as unknown as TransactionEntity<"unknown">;
}

/** The same for an embedded transaction: its header has 48 bytes. */
export function unknownEmbedded(bytes: Buffer, problem: string): EmbeddedEntity<"unknown"> {
  return new UnknownEmbeddedView(bytes, problem) as unknown as EmbeddedEntity<"unknown">;
}

/** Whether only the header of a transaction is known; its type may be a known one. */
export function isUnknown<T extends { readonly kind: string }>(entity: T): entity is Extract<T, UnknownBody> {
  return entity.kind === "unknown";
}
