import { models } from "symbol-sdk/symbol";
import type { BlockEntity } from "../../catapult/entity/block-entity.js";
import { BLOCK, EMBEDDED, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { EmbeddedEntity, TransactionEntity } from "../../catapult/entity/transaction-entity.js";
import { TRANSACTION_LAYOUTS, type TransactionLayout } from "../../catapult/structs/transaction-types.js";
import { BLOCK_TYPE, TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";

/** A field's value in comparable form: hex, a number, or a list of these. */
export type Plain = string | bigint | number | undefined | readonly Plain[] | { readonly [name: string]: Plain };
export type PlainFields = Record<string, Plain>;

interface SdkEntity {
  readonly size: number;
  readonly [name: string]: unknown;
}

interface SdkClass {
  deserialize(bytes: Uint8Array): SdkEntity;
  readonly TRANSACTION_TYPE?: { readonly value: number };
  readonly TRANSACTION_VERSION?: number;
}

const CLASSES = new Map(
  Object.entries(models as unknown as Record<string, SdkClass>)
    .filter(([, one]) => one.TRANSACTION_TYPE && one.TRANSACTION_VERSION)
    .map(([name, one]) => [nameOf(one.TRANSACTION_TYPE!.value, one.TRANSACTION_VERSION!, isEmbeddedName(name)), one]),
);

function isEmbeddedName(name: string): boolean {
  return name.startsWith("Embedded");
}

function nameOf(type: number, version: number, isEmbedded: boolean): string {
  return `${type} ${version} ${isEmbedded}`;
}

/** Every type and version of transactions that `symbol-sdk` has. */
export const SDK_TYPES = [...CLASSES.keys()].map((name) => {
  const [type, version, isEmbedded] = name.split(" ");
  return { type: Number(type), version: Number(version), isEmbedded: isEmbedded === "true" };
});

/** The class of an entity in `symbol-sdk`. */
export function sdkName({ kind, version }: EmbeddedEntity | TransactionEntity): string {
  const name = kind.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `${name}TransactionV${version}`;
}

/** A copy with zeros in the reserved fields that may have any value in a block, and with a network byte that `symbol-sdk` knows. */
function readable(bytes: Buffer, layout: typeof VERIFIABLE | typeof EMBEDDED, headerSize: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  copy.writeUInt32LE(0, layout.headerReserved);
  copy.writeUInt32LE(0, layout.bodyReserved);
  copy.writeUInt8(models.NetworkType.TESTNET.value, layout.network);
  const isTransfer = bytes.readUInt16LE(layout.type) === TRANSACTION_TYPE.transfer;
  if (isTransfer && bytes.length >= headerSize + 32) copy.fill(0, headerSize + 27, headerSize + 32);
  return copy;
}

/** Restrictions may name types that `symbol-sdk` does not know: they are removed from its input. */
function withKnownTypes(bytes: Buffer, headerSize: number, values: number[]): Buffer {
  const copy = Buffer.from(Uint8Array.from(bytes).buffer);
  const count = (bytes[headerSize + 2] ?? 0) + (bytes[headerSize + 3] ?? 0);
  if (bytes.length !== headerSize + 8 + 2 * count) return bytes;
  for (let offset = headerSize + 8; offset < bytes.length; offset += 2) {
    values.push(bytes.readUInt16LE(offset));
    copy.writeUInt16LE(TRANSACTION_TYPE.transfer, offset);
  }
  return copy;
}

/**
 * The fields of a transaction (no aggregate) as `symbol-sdk` decodes them, names as in `TRANSACTION_LAYOUTS`; undefined if it
 * knows no such type or version, or the fields do not match the bytes.
 */
export function readBySdk(bytes: Buffer, isEmbedded: boolean): PlainFields | undefined {
  const layout = isEmbedded ? EMBEDDED : VERIFIABLE;
  const headerSize = isEmbedded ? EMBEDDED.headerSize : TRANSACTION.headerSize;
  const type = bytes.readUInt16LE(layout.type);
  const sdkClass = CLASSES.get(nameOf(type, bytes[layout.version]!, isEmbedded));
  const own = Object.values<TransactionLayout>(TRANSACTION_LAYOUTS).find((one) => one.type === type);
  if (!sdkClass || !own) return undefined;
  const types: number[] = [];
  let copy = readable(bytes, layout, headerSize);
  if (type === TRANSACTION_TYPE.account_operation_restriction) copy = withKnownTypes(copy, headerSize, types);
  let entity: SdkEntity;
  try {
    entity = sdkClass.deserialize(copy);
    if (entity.size !== bytes.length) return undefined;
  } catch {
    return undefined;
  }
  const fields = ownFields(own, (name) => plainOf(entity[name] ?? (entity.mosaic as SdkEntity | undefined)?.[name]));
  if (type === TRANSACTION_TYPE.namespace_registration)
    fields.durationOrParentId = plainOf(fields.registrationType === 0 ? entity.duration : entity.parentId);
  if (type === TRANSACTION_TYPE.account_operation_restriction) {
    const { length } = fields.restrictionAdditions as readonly Plain[];
    fields.restrictionAdditions = types.slice(0, length);
    fields.restrictionDeletions = types.slice(length);
  }
  return { ...headerFields(bytes, layout, entity), ...fields };
}

function headerFields(bytes: Buffer, layout: typeof VERIFIABLE | typeof EMBEDDED, entity: SdkEntity): PlainFields {
  return {
    type: plainOf(entity.type),
    version: plainOf(entity.version),
    network: bytes[layout.network],
    signerPublicKey: plainOf(entity.signerPublicKey),
    size: bytes.length,
    ...("signature" in entity && {
      signature: plainOf(entity.signature),
      maxFee: plainOf(entity.fee),
      deadline: plainOf(entity.deadline),
    }),
  };
}

/** Counts and reserved bytes are no fields of `symbol-sdk`; the content of an aggregate is compared separately. */
function ownFields({ fields }: TransactionLayout, fieldOf: (name: string) => Plain): PlainFields {
  const names = Object.keys(fields).filter((name) => !/(Count|Size)$|^reserved$|^payload$/.test(name));
  return Object.fromEntries(names.map((name) => [name, fieldOf(name)]));
}

/** The same fields as this program decodes them. */
export function readByUs(entity: EmbeddedEntity | TransactionEntity): PlainFields | undefined {
  if (entity.kind === "unknown") return undefined;
  const { type, version, network, signerPublicKey, size } = entity;
  const own = ownFields(TRANSACTION_LAYOUTS[entity.kind], (name) => plainOf((entity as unknown as SdkEntity)[name]));
  const more = "maxFee" in entity && {
    signature: plainOf(entity.signature),
    maxFee: entity.maxFee,
    deadline: entity.deadline,
  };
  return { type, version, network, signerPublicKey: plainOf(signerPublicKey), size, ...more, ...own };
}

function plainOf(value: unknown): Plain {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== "object" || value === null) return value as Plain;
  if ("bytes" in value) return plainOf(value.bytes);
  if ("value" in value) return plainOf(value.value);
  const { mosaicId, amount, signerPublicKey, signature, version } = value as Record<string, unknown>;
  return mosaicId === undefined
    ? { version: plainOf(version), signerPublicKey: plainOf(signerPublicKey), signature: plainOf(signature) }
    : { mosaicId: plainOf(mosaicId), amount: plainOf(amount) };
}

const BLOCK_CLASSES = new Map<number, SdkClass>([
  [BLOCK_TYPE.nemesis, models.NemesisBlockV1 as unknown as SdkClass],
  [BLOCK_TYPE.normal, models.NormalBlockV1 as unknown as SdkClass],
  [BLOCK_TYPE.importance, models.ImportanceBlockV1 as unknown as SdkClass],
]);

const BLOCK_FIELDS = [
  "signature",
  "signerPublicKey",
  "version",
  "type",
  "difficulty",
  "previousBlockHash",
  "transactionsHash",
  "receiptsHash",
  "stateHash",
  "beneficiaryAddress",
  "feeMultiplier",
] as const;
const FOOTER_FIELDS = [
  "votingEligibleAccountsCount",
  "harvestingEligibleAccountsCount",
  "totalVotingBalance",
  "previousImportanceBlockHash",
] as const;

function blockFields(entity: object, footer: object | undefined): PlainFields {
  const fieldOf = (from: object, name: string) => plainOf((from as Record<string, unknown>)[name]);
  const proof = (entity as BlockEntity).generationHashProof;
  return Object.fromEntries([
    ...BLOCK_FIELDS.map((name) => [name, fieldOf(entity, name)]),
    ...["gamma", "verificationHash", "scalar"].map((name) => [name, fieldOf(proof, name)]),
    ...FOOTER_FIELDS.map((name) => [name, footer && fieldOf(footer, name)]),
  ]);
}

/** The fields of a block's header as `symbol-sdk` decodes them, of a known type. */
export function readBlockBySdk(bytes: Buffer, headerSize: number): PlainFields {
  const type = bytes.readUInt16LE(VERIFIABLE.type);
  const copy = readable(Buffer.from(bytes.subarray(0, headerSize)), VERIFIABLE, headerSize);
  copy.writeUInt32LE(headerSize, VERIFIABLE.size);
  if (type === BLOCK_TYPE.normal) copy.fill(0, BLOCK.footer);
  const entity = BLOCK_CLASSES.get(type)!.deserialize(copy);
  return blockFields(entity, type === BLOCK_TYPE.normal ? undefined : entity);
}

/** The same fields as this program decodes them. */
export function readBlockByUs(entity: BlockEntity): PlainFields {
  return blockFields(entity, entity.importance);
}
