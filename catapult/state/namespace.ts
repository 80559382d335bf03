import { z } from "zod";
import { object } from "../values/body-writer.js";
import type { ByteWriter } from "../values/byte-writer.js";
import * as codec from "../values/codecs.js";
import { field } from "../values/codecs.js";
import type { JsonWriter } from "../values/json-writer.js";
import {
  AddressHex,
  Height,
  MosaicId,
  NamespaceRegistrationTypeEnum,
  numberSchema,
  ObjectId,
  StateVersion,
} from "../values/scalars.js";
import { describedFields, type JsonOf, makeShape, type ValuesOf } from "../values/struct.js";
import { ownField, stateCodec } from "./state-codec.js";
import { STATE_VERSION, type StateReader } from "./state-reader.js";

/** The target of a namespace. */
export type NamespaceAlias =
  | { readonly kind: "none" }
  | { readonly kind: "mosaic"; readonly mosaicId: bigint }
  | { readonly kind: "address"; readonly address: Buffer };

/** A namespace: its path from the root (root first, 1 to 3 ids, its own id last), and its target. */
export interface NamespaceEntry {
  readonly id: bigint;
  readonly path: readonly bigint[];
  readonly alias: NamespaceAlias;
}

/** The end height of a namespace that never ends. */
export const ETERNAL_HEIGHT = 0xffff_ffff_ffff_ffffn;

export const ALIAS_TYPE = { none: 0, mosaic: 1, address: 2 } as const;
const AliasTypeEnum = numberSchema("AliasTypeEnum", [0, 1, 2], "0 none, 1 mosaic, 2 address.");
const aliasType = codec.choice(ALIAS_TYPE.address, AliasTypeEnum);
const MAX_CHILD_DEPTH = 2;
/** Depth, one id, alias type. */
const MIN_CHILD_SIZE = 10;

function readAlias(reader: StateReader, path: string): NamespaceAlias {
  const type = reader.field(aliasType, `${path}.type`);
  if (type === ALIAS_TYPE.mosaic) return { kind: "mosaic", mosaicId: reader.uint64(`${path}.mosaicId`) };
  if (type === ALIAS_TYPE.address) return { kind: "address", address: reader.field(codec.address, `${path}.address`) };
  return { kind: "none" };
}

function writeAlias(writer: ByteWriter, alias: NamespaceAlias): void {
  writer.uint8(ALIAS_TYPE[alias.kind]);
  if (alias.kind === "mosaic") writer.uint64(alias.mosaicId);
  if (alias.kind === "address") writer.bytes(alias.address);
}

function readChild(reader: StateReader, rootId: bigint, path: string): NamespaceEntry {
  const depth = reader.uint8(`${path}.depth`);
  if (depth < 1 || depth > MAX_CHILD_DEPTH) throw reader.error(`${path}.depth`, `is ${depth} instead of 1 or 2`);
  const ids = reader.list(depth, 8, `${path}.path`, (one) => reader.uint64(one));
  return { id: ids[depth - 1]!, path: [rootId, ...ids], alias: readAlias(reader, `${path}.alias`) };
}

function writeChild(writer: ByteWriter, { path, alias }: NamespaceEntry): void {
  const [, ...ids] = path;
  writer.uint8(ids.length);
  for (const id of ids) writer.uint64(id);
  writeAlias(writer, alias);
}

const FIELDS = {
  id: codec.namespaceId,
  ownerAddress: codec.address,
  startHeight: codec.height(Height),
  /** The end of the grace period; `ETERNAL_HEIGHT` for a namespace that never ends. */
  endHeight: codec.decimal,
  /** The root itself, then all its children, ascending by path. */
  entries: ownField<readonly NamespaceEntry[]>({
    decode: (reader, _name, before) => {
      const id = before.id as bigint;
      const own = { id, path: [id], alias: readAlias(reader, "alias") };
      const count = reader.uint64("childrenCount");
      return [own, ...reader.list(count, MIN_CHILD_SIZE, "children", (path) => readChild(reader, id, path))];
    },
    encode: (writer, [own, ...children]) => {
      writeAlias(writer, own!.alias);
      writer.uint64(children.length);
      for (const child of children) writeChild(writer, child);
    },
    sizeAt: (_, bytes, at) => bytes.length - at,
  }),
} as const;

/**
 * The state value of a root namespace, as last registered: earlier registrations are not part of it. Source:
 * catapult's `RootNamespaceHistoryNonHistoricalSerializer`.
 */
export const NAMESPACE_CODEC = stateCodec("namespace", FIELDS);

export type NamespaceState = ValuesOf<typeof FIELDS>;

const AliasDTO = z
  .object({
    type: AliasTypeEnum.describe("0 the namespace points to nothing, 1 to a mosaic, 2 to an address."),
    mosaicId: MosaicId.describe("The mosaic, if the target is one.").optional(),
    address: AddressHex.describe("The address, if the target is an account.").optional(),
  })
  .meta({ id: "AliasDTO", description: "Target of a namespace." });

/** The target of a namespace in its REST body. */
export type AliasBody = Readonly<z.infer<typeof AliasDTO>>;

/** The row of a namespace; ids are 8 bytes, big-endian. */
export interface NamespaceRow {
  /** 12 bytes. */
  readonly id: Buffer;
  /** The path from the root to the namespace itself: 1 to 3 ids. */
  readonly levels: Buffer;
  /** Of `ALIAS_TYPE`, and the id of the mosaic or the address. */
  readonly aliasType: number;
  readonly alias: Buffer | null;
  readonly ownerAddress: Buffer;
  readonly startHeight: number | bigint;
  /** Null for one that never ends. */
  readonly endHeight: number | bigint | null;
  /** Whether it has not ended at the head, and the number of earlier registrations whose end is not final. */
  readonly active: boolean;
  readonly index: number;
}

const NamespaceMetaDTO = z
  .object({
    active: z.boolean().describe("Whether the namespace, including its grace period, has not expired."),
    index: z.int().min(0).describe("Number of earlier registrations that can still be rolled back."),
  })
  .meta({ id: "NamespaceMetaDTO", description: "What is known about it besides its own bytes." });

const level = (description: string) => ({ ...field(codec.namespaceId, description), scalar: undefined });
const SHOWN = {
  registrationType: field(codec.choice(1, NamespaceRegistrationTypeEnum), "0 root namespace, 1 child namespace.", {
    column: "registration_type",
  }),
  depth: field(codec.number(codec.uint8, z.int().min(1).max(3)), "Depth: 1 for a root, up to 3."),
  level0: { ...level("Id of the root."), column: "level0" },
  level1: { ...level("Id of the second part of the name; absent for a root namespace."), isOptional: true },
  level2: { ...level("Id of the third part of the name; absent if there is none."), isOptional: true },
  alias: field({ ...codec.unused(0), schema: AliasDTO, scalar: undefined }, "What the namespace points to."),
  parentId: level("Id of the parent; zeros for a root."),
  ownerAddress: field(codec.address, "Address of the account that registered it.", { column: "owner_address" }),
  startHeight: field(codec.height(Height), "Height of the block that registered its root."),
  endHeight: field(
    codec.decimalDigits(Height, "UInt64"),
    "Height of the first block after its grace period; 2^64 - 1 if it never ends.",
  ),
} as const;

/** What is in rows and bodies. */
export const NAMESPACE_FIELDS = { ...SHOWN, aliasType: { ...aliasType, column: "alias_type" } } as const;

type NamespaceFields = { readonly version: number } & JsonOf<{ readonly fields: typeof SHOWN }>;

/** The REST body of a namespace. */
export interface NamespaceBody {
  readonly id: string;
  readonly meta: z.infer<typeof NamespaceMetaDTO>;
  readonly namespace: NamespaceFields;
}

const ID_SIZE = 8;
const NO_ID = Buffer.alloc(ID_SIZE);

/** An id of the path, for namespaces that are as deep. */
const writeLevel = (level: number) => ({
  write: (writer: JsonWriter, { levels }: NamespaceRow) =>
    writer.hex(levels, ID_SIZE * level, ID_SIZE * level + ID_SIZE),
  isPresent: ({ levels }: NamespaceRow) => levels.length > ID_SIZE * level,
});

/** The target, for namespaces whose target is of a type. */
const writeAliasOf = (type: number) => ({
  write: (writer: JsonWriter, { alias }: NamespaceRow) => writer.hex(alias!),
  isPresent: ({ aliasType }: NamespaceRow) => aliasType === type,
});

const described = describedFields({ fields: SHOWN });

/** The REST body of one namespace of a root. Source: `NamespaceDescriptorMapper` of catapult's `extensions/mongo`. */
export const NAMESPACE_BODY = {
  schema: z
    .object({
      id: ObjectId,
      meta: NamespaceMetaDTO,
      namespace: z
        .object({ version: StateVersion, ...makeShape(described) })
        .meta({ id: "NamespaceDTO" })
        .describe("State of a namespace."),
    })
    .meta({ id: "NamespaceInfoDTO", description: "State of a namespace." }) as z.ZodType as z.ZodType<NamespaceBody>,
  described,
  write: object<NamespaceRow, NamespaceBody>({
    id: (writer, { id }) => writer.hex(id),
    meta: object<NamespaceRow, NamespaceBody["meta"]>({
      active: (writer, { active }) => writer.json(String(active)),
      index: (writer, { index }) => writer.number(index),
    }),
    namespace: object<NamespaceRow, NamespaceFields>({
      version: (writer) => writer.number(STATE_VERSION),
      registrationType: (writer, { levels }) => writer.number(levels.length > ID_SIZE ? 1 : 0),
      depth: (writer, { levels }) => writer.number(levels.length / ID_SIZE),
      level0: writeLevel(0),
      level1: writeLevel(1),
      level2: writeLevel(2),
      alias: object<NamespaceRow, AliasBody>({
        type: (writer, { aliasType }) => writer.number(aliasType),
        mosaicId: writeAliasOf(ALIAS_TYPE.mosaic),
        address: writeAliasOf(ALIAS_TYPE.address),
      }),
      parentId: (writer, { levels }) => {
        const end = levels.length - ID_SIZE;
        return end === 0 ? writer.hex(NO_ID) : writer.hex(levels, end - ID_SIZE, end);
      },
      ownerAddress: (writer, { ownerAddress }) => writer.hex(ownerAddress),
      startHeight: (writer, { startHeight }) => writer.decimal(startHeight),
      endHeight: (writer, { endHeight }) => writer.decimal(endHeight ?? ETERNAL_HEIGHT),
    }),
  }),
};
