import { models } from "symbol-sdk/symbol";
import { EntityError } from "./entity-error.js";
import { EMBEDDED, TRANSACTION, TRANSACTION_TYPE, TRANSFER, VERIFIABLE } from "./entity-layout.js";

/** What `symbol-sdk` has for each type and version of an entity. */
export interface EntityClass<T> {
  deserialize(payload: Uint8Array): T;
}

/** Where the header of a transaction, or of one inside an aggregate, has its fields. */
type HeaderLayout = typeof VERIFIABLE | typeof EMBEDDED;

const TOP_LEVEL_CLASSES = new Map<number, EntityClass<models.Transaction>>();
const EMBEDDED_CLASSES = new Map<number, EntityClass<models.EmbeddedTransaction>>();
for (const [name, entityClass] of Object.entries(models)) {
  const { TRANSACTION_TYPE: type, TRANSACTION_VERSION: version } = entityClass as unknown as {
    TRANSACTION_TYPE?: { value: number };
    TRANSACTION_VERSION?: number;
  };
  if (type === undefined || version === undefined) continue;
  const classes: Map<number, unknown> = name.startsWith("Embedded") ? EMBEDDED_CLASSES : TOP_LEVEL_CLASSES;
  classes.set(classKey(type.value, version), entityClass);
}

/** The network bytes that `symbol-sdk` reads; other networks are private. */
const SDK_NETWORKS: readonly number[] = [models.NetworkType.MAINNET.value, models.NetworkType.TESTNET.value];

function classKey(type: number, version: number): number {
  return type * 256 + version;
}

function findClass<T>(classes: Map<number, EntityClass<T>>, bytes: Buffer, layout: HeaderLayout, path: string) {
  const type = bytes.readUInt16LE(layout.type);
  const version = bytes.readUInt8(layout.version);
  const entityClass = classes.get(classKey(type, version));
  if (entityClass !== undefined) return entityClass;
  const hexType = `0x${type.toString(16)}`;
  const isKnownType = [...classes.keys()].some((key) => key >> 8 === type);
  if (isKnownType)
    throw new EntityError(`${path}.version`, `${version} is unknown for a transaction of type ${hexType}`);
  throw new EntityError(`${path}.type`, `${hexType} is no known transaction type`);
}

/** The class of a top-level transaction. Throws `EntityError` naming `type` or `version` when `symbol-sdk` has none. */
export function topLevelClass(bytes: Buffer, path: string): EntityClass<models.Transaction> {
  return findClass(TOP_LEVEL_CLASSES, bytes, VERIFIABLE, path);
}

/** The class of a transaction inside an aggregate; like `topLevelClass`. */
export function embeddedClass(bytes: Buffer, path: string): EntityClass<models.EmbeddedTransaction> {
  return findClass(EMBEDDED_CLASSES, bytes, EMBEDDED, path);
}

/** A view of the same bytes that begins on an 8-byte boundary of its memory, as `symbol-sdk` needs it: a copy where necessary. */
export function aligned(bytes: Buffer): Buffer {
  if (bytes.byteOffset % 8 === 0) return bytes;
  return copyOf(bytes);
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/**
 * Bytes in the form that `symbol-sdk` reads: zeros in the reserved fields, a network byte that it knows. Nodes accept other
 * bytes there, or do not look at them (see docs/consensus.md). The same bytes where they have this form.
 * @param headerSize where the body begins; undefined for a header alone
 */
export function readableForm(bytes: Buffer, layout: HeaderLayout, headerSize?: number): Buffer {
  const transferReserved = transferReservedAt(bytes, layout, headerSize);
  const isReadable =
    bytes.readUInt32LE(layout.headerReserved) === 0 &&
    bytes.readUInt32LE(layout.bodyReserved) === 0 &&
    SDK_NETWORKS.includes(bytes.readUInt8(layout.network)) &&
    (transferReserved === undefined || bytes.readUIntLE(transferReserved, TRANSFER_RESERVED_SIZE) === 0);
  if (isReadable) return aligned(bytes);
  const copy = copyOf(bytes);
  copy.writeUInt32LE(0, layout.headerReserved);
  copy.writeUInt32LE(0, layout.bodyReserved);
  copy.writeUInt8(models.NetworkType.TESTNET.value, layout.network);
  if (transferReserved !== undefined) copy.writeUIntLE(0, transferReserved, TRANSFER_RESERVED_SIZE);
  return copy;
}

const TRANSFER_RESERVED_SIZE = TRANSFER.mosaics - TRANSFER.reserved;

function transferReservedAt(bytes: Buffer, layout: HeaderLayout, headerSize: number | undefined): number | undefined {
  if (headerSize === undefined || bytes.readUInt16LE(layout.type) !== TRANSACTION_TYPE.transfer) return undefined;
  return bytes.length < headerSize + TRANSFER.mosaics ? undefined : headerSize + TRANSFER.reserved;
}

/** Writes back into an entity that was read from its readable form what that form leaves out. */
export function restoreNetwork<T extends { network: models.NetworkType }>(entity: T, byte: number): T {
  if (entity.network.value !== byte) entity.network = new models.NetworkType(byte);
  return entity;
}

/**
 * Account operation restrictions may name transaction types that nobody knows, which `symbol-sdk` refuses to read.
 * So it is given a copy that names a known type, and the types are put in afterwards.
 */
function deserializeOperationRestriction<T>(entityClass: EntityClass<T>, bytes: Buffer, bodyOffset: number): T {
  const valuesOffset = bodyOffset + 8;
  const additionsCount = bytes[bodyOffset + 2] ?? 0;
  const valuesCount = additionsCount + (bytes[bodyOffset + 3] ?? 0);
  if (bytes.length !== valuesOffset + 2 * valuesCount) return entityClass.deserialize(bytes);
  const copy = Buffer.alloc(bytes.length);
  bytes.copy(copy);
  const types: models.TransactionType[] = [];
  for (let offset = valuesOffset; offset < bytes.length; offset += 2) {
    types.push(new models.TransactionType(bytes.readUInt16LE(offset)));
    copy.writeUInt16LE(models.TransactionType.TRANSFER.value, offset);
  }
  const entity = entityClass.deserialize(copy);
  const restriction = entity as unknown as models.AccountOperationRestrictionTransactionV1;
  restriction.restrictionAdditions = types.slice(0, additionsCount);
  restriction.restrictionDeletions = types.slice(additionsCount);
  return entity;
}

/** Reads bytes that an entity fills exactly. Throws `EntityError` when `symbol-sdk` cannot read them as that class. */
export function deserialize<T extends { size: number }>(
  entityClass: EntityClass<T>,
  bytes: Buffer,
  path: string,
  read: (bytes: Buffer) => T = (payload) => entityClass.deserialize(payload),
): T {
  let entity: T;
  try {
    entity = read(aligned(bytes));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new EntityError(path, `cannot be read: ${problem}`, { cause: error });
  }
  if (entity.size !== bytes.length)
    throw new EntityError(`${path}.size`, `is ${bytes.length}, but the fields fill ${entity.size} bytes`);
  return entity;
}

/** Reads a top-level transaction that is no aggregate. Throws `EntityError`. */
export function readTopLevel(bytes: Buffer, path: string): models.Transaction {
  return readBody(topLevelClass(bytes, path), bytes, VERIFIABLE, TRANSACTION.headerSize, path);
}

/** Reads a transaction inside an aggregate. Throws `EntityError`. */
export function readEmbedded(bytes: Buffer, path: string): models.EmbeddedTransaction {
  return readBody(embeddedClass(bytes, path), bytes, EMBEDDED, EMBEDDED.headerSize, path);
}

function readBody<T extends { size: number }>(
  entityClass: EntityClass<T>,
  bytes: Buffer,
  layout: HeaderLayout,
  headerSize: number,
  path: string,
): T {
  return bytes.readUInt16LE(layout.type) === TRANSACTION_TYPE.accountOperationRestriction
    ? deserialize(entityClass, bytes, path, (b) => deserializeOperationRestriction(entityClass, b, headerSize))
    : deserialize(entityClass, bytes, path);
}
