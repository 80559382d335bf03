import type { ContentOf } from "../body/transaction.js";
import { COSIGNATURE } from "../entity/entity-layout.js";
import type { BodyReader, PlacedField, PlacedTail } from "../entity/transaction-entity.js";
import type { KnownKind, TRANSACTION_LAYOUTS } from "../entity/transaction-layouts.js";
import {
  hexOf,
  idOf,
  type Members,
  object,
  uint16Of,
  uint64Of,
  type Write,
  writeItems,
} from "../values/body-writer.js";

type Content<Kind extends KnownKind> = ContentOf<(typeof TRANSACTION_LAYOUTS)[Kind]["type"]>;

type CosignatureBody = Content<"aggregateComplete">["cosignatures"][number];

/**
 * Creates the writer of a member from its name, for one place of the fields in the bytes: that of a top-level or of an
 * embedded transaction. A field has the name of the member.
 * @throws RangeError when there is no such field
 */
type Part<Member> = (reader: BodyReader, name: string) => Member;

/** A part for each member of a content, in their order. */
type Parts<Body> = { readonly [Name in keyof Members<Buffer, Body>]: Part<Members<Buffer, Body>[Name]> };

function fieldOf({ kind, fields }: BodyReader, name: string): PlacedField {
  const found = fields.find((one) => one.name === name);
  if (!found) throw new RangeError(`${kind} has no field ${name}`);
  return found;
}

function tailOf({ kind, tails }: BodyReader, name: string): PlacedTail {
  const found = tails.find((one) => one.name === name);
  if (!found) throw new RangeError(`${kind} has no list ${name}`);
  return found;
}

/** The bytes of a field. */
const hex: Part<Write<Buffer, string>> = (reader, name) => {
  const { offset, field } = fieldOf(reader, name);
  return hexOf(offset, offset + field.size);
};

/** All bytes of a tail. */
const hexTail: Part<Write<Buffer, string>> = (reader, name) => {
  const { start, end } = tailOf(reader, name);
  return (writer, bytes, at) => writer.hex(bytes, start(bytes, at), end(bytes, at));
};

/** The UTF-8 text of a tail. */
const text: Part<Write<Buffer, string>> = (reader, name) => {
  const { start, end } = tailOf(reader, name);
  return (writer, bytes, at) => writer.string(bytes.toString("utf8", start(bytes, at), end(bytes, at)));
};

const id: Part<Write<Buffer, string>> = (reader, name) => idOf(fieldOf(reader, name).offset);
const decimal: Part<Write<Buffer, string>> = (reader, name) => uint64Of(fieldOf(reader, name).offset);

/** A number of at most 4 bytes. */
const number: Part<Write<Buffer, number>> = (reader, name) => {
  const { offset, field } = fieldOf(reader, name);
  return (writer, bytes, at) => writer.number(field.read(bytes, at + offset) as number);
};

/** The items of a tail, which have one size. */
function list<Value>(item: Write<Buffer, Value>): Part<Write<Buffer, readonly Value[]>> {
  return (reader, name) => {
    const { start, end, tail } = tailOf(reader, name);
    const sizeAt = () => tail.item.size;
    return (writer, bytes, at) => writeItems(writer, item, bytes, start(bytes, at), end(bytes, at), sizeAt);
  };
}

const addresses = list(hexOf(0, 24));
const writeCosignature = object<Buffer, CosignatureBody>({
  version: uint64Of(COSIGNATURE.version),
  signerPublicKey: hexOf(COSIGNATURE.signerPublicKey, COSIGNATURE.signature),
  signature: hexOf(COSIGNATURE.signature, COSIGNATURE.size),
});
const cosignatures = list(writeCosignature);
const mosaics = list(object<Buffer, Content<"transfer">["mosaics"][number]>({ id: idOf(0), amount: uint64Of(8) }));

/** An empty message is omitted, as in the reference. */
const message: Parts<Content<"transfer">>["message"] = (reader, name) => {
  const { offset } = fieldOf(reader, "messageSize");
  return { isPresent: (bytes, at) => bytes.readUInt16LE(at + offset) > 0, write: hexTail(reader, name) };
};

/** The duration of a root namespace, the parent's id of a child. */
function durationOrParentId(part: Part<Write<Buffer, string>>, isOfRoot: boolean) {
  return (reader: BodyReader) => {
    const { offset } = fieldOf(reader, "registrationType");
    const isPresent = (bytes: Buffer, at: number) => (bytes[at + offset] === 0) === isOfRoot;
    return { isPresent, write: part(reader, "durationOrParentId") };
  };
}

const MOSAIC = {
  mosaicId: (reader: BodyReader) => id(reader, "mosaic"),
  amount: (reader: BodyReader) => uint64Of(fieldOf(reader, "mosaic").offset + 8),
};
const KEY_LINK = { linkedPublicKey: hex, linkAction: number };
const AGGREGATE = { transactionsHash: hex, cosignatures };
const METADATA = { targetAddress: hex, scopedMetadataKey: id };
const METADATA_VALUE = { valueSizeDelta: number, valueSize: number, value: hexTail };

function restriction<Value>(values: Part<Write<Buffer, readonly Value[]>>) {
  return { restrictionFlags: number, restrictionAdditions: values, restrictionDeletions: values };
}

/** The members after those of all transactions. Source: the mappers of catapult's `extensions/mongo`. */
const CONTENTS: { readonly [Kind in KnownKind]: Parts<Content<Kind>> } = {
  accountKeyLink: KEY_LINK,
  nodeKeyLink: KEY_LINK,
  vrfKeyLink: KEY_LINK,
  votingKeyLink: { linkedPublicKey: hex, startEpoch: number, endEpoch: number, linkAction: number },
  aggregateComplete: AGGREGATE,
  aggregateBonded: AGGREGATE,
  hashLock: { duration: decimal, ...MOSAIC, hash: hex },
  secretLock: { duration: decimal, ...MOSAIC, hashAlgorithm: number, secret: hex, recipientAddress: hex },
  secretProof: { hashAlgorithm: number, secret: hex, recipientAddress: hex, proof: hexTail },
  accountMetadata: { ...METADATA, ...METADATA_VALUE },
  mosaicMetadata: { ...METADATA, targetMosaicId: id, ...METADATA_VALUE },
  namespaceMetadata: { ...METADATA, targetNamespaceId: id, ...METADATA_VALUE },
  mosaicDefinition: { nonce: number, id, flags: number, divisibility: number, duration: decimal },
  mosaicSupplyChange: { mosaicId: id, action: number, delta: decimal },
  mosaicSupplyRevocation: { sourceAddress: hex, ...MOSAIC },
  multisigAccountModification: {
    minRemovalDelta: number,
    minApprovalDelta: number,
    addressAdditions: addresses,
    addressDeletions: addresses,
  },
  addressAlias: { namespaceId: id, aliasAction: number, address: hex },
  mosaicAlias: { namespaceId: id, aliasAction: number, mosaicId: id },
  namespaceRegistration: {
    registrationType: number,
    duration: durationOrParentId(decimal, true),
    parentId: durationOrParentId(id, false),
    id,
    name: text,
  },
  accountAddressRestriction: restriction(addresses),
  accountMosaicRestriction: restriction(list(idOf(0))),
  accountOperationRestriction: restriction(list(uint16Of(0))),
  mosaicAddressRestriction: {
    mosaicId: id,
    restrictionKey: id,
    targetAddress: hex,
    previousRestrictionValue: decimal,
    newRestrictionValue: decimal,
  },
  mosaicGlobalRestriction: {
    mosaicId: id,
    referenceMosaicId: id,
    restrictionKey: id,
    previousRestrictionValue: decimal,
    previousRestrictionType: number,
    newRestrictionValue: decimal,
    newRestrictionType: number,
  },
  transfer: { recipientAddress: hex, message, mosaics },
};

/** A position in the bytes that contain an aggregate at `at`. */
export type Position = (bytes: Buffer, at: number) => number;

/** The cosignatures of an aggregate that are elsewhere than in its layout. */
export function cosignaturesBetween(start: Position, end: Position): Write<Buffer, readonly CosignatureBody[]> {
  return (writer, bytes, at) =>
    writeItems(writer, writeCosignature, bytes, start(bytes, at), end(bytes, at), () => COSIGNATURE.size);
}

/** The members that only a kind of transaction has, for the bytes that a reader decodes; their fields follow a header. */
export function contentMembers<Kind extends KnownKind>(reader: BodyReader, kind: Kind): Members<Buffer, Content<Kind>> {
  const parts = Object.entries<Part<unknown>>(CONTENTS[kind]);
  return Object.fromEntries(parts.map(([name, part]) => [name, part(reader, name)])) as Members<Buffer, Content<Kind>>;
}
