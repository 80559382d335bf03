import { z } from "zod";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import type { ByteWriter } from "../values/byte-writer.js";
import * as form from "../values/forms.js";
import { member } from "../values/forms.js";
import {
  AddressHex,
  Height,
  MosaicId,
  NamespaceId,
  NamespaceRegistrationTypeEnum,
  numberOf,
} from "../values/scalars.js";
import * as part from "./noun.js";
import { type BodyIn, bodyOf, codecOf, type Member, type ValuesOf, WITH_ID } from "./noun.js";
import type { StateReader } from "./state-reader.js";

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

const ALIAS_TYPE = { none: 0, mosaic: 1, address: 2 } as const;
const REGISTRATION_TYPE = { root: 0, child: 1 } as const;
const MAX_CHILD_DEPTH = 2;
/** Depth, one id, alias type. */
const LEAST_CHILD_SIZE = 10;

function readAlias(reader: StateReader, path: string): NamespaceAlias {
  const type = reader.enumeration(ALIAS_TYPE.address, `${path}.type`);
  if (type === ALIAS_TYPE.mosaic) return { kind: "mosaic", mosaicId: reader.uint64(`${path}.mosaicId`) };
  if (type === ALIAS_TYPE.address) return { kind: "address", address: reader.field(form.address, `${path}.address`) };
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

const PARTS = {
  id: part.partOf(form.namespaceId, idText),
  ownerAddress: part.address,
  startHeight: part.height(Height),
  /** The end of the grace period; `ETERNAL_HEIGHT` for a namespace that never ends. */
  endHeight: part.decimal,
  /** The root itself, then all its children, ascending by path. */
  entries: {
    read: (reader, _path, before) => {
      const id = before.id as bigint;
      const own = { id, path: [id], alias: readAlias(reader, "alias") };
      const count = reader.uint64("childrenCount");
      return [own, ...reader.list(count, LEAST_CHILD_SIZE, "children", (path) => readChild(reader, id, path))];
    },
    write: (writer, [own, ...children]) => {
      writeAlias(writer, own!.alias);
      writer.uint64(children.length);
      for (const child of children) writeChild(writer, child);
    },
  } satisfies part.Part<readonly NamespaceEntry[]>,
} as const;

/**
 * The state value of a root namespace, as last registered: earlier registrations are not part of it. Source:
 * catapult's `RootNamespaceHistoryNonHistoricalSerializer`.
 */
export const NAMESPACE_CODEC = codecOf("namespace", PARTS);

export type NamespaceState = ValuesOf<typeof PARTS>;

const AliasDTO = z
  .object({
    type: numberOf("AliasTypeEnum", [0, 1, 2], "0 none, 1 mosaic, 2 address.").describe(
      "0 the namespace points to nothing, 1 to a mosaic, 2 to an address.",
    ),
    mosaicId: MosaicId.describe("The mosaic, if the target is one.").optional(),
    address: AddressHex.describe("The address, if the target is an account.").optional(),
  })
  .meta({ id: "AliasDTO", description: "Target of a namespace." });

/** The target of a namespace in its REST body. */
export type AliasBody = Readonly<z.infer<typeof AliasDTO>>;

function aliasBody(alias: NamespaceAlias): AliasBody {
  if (alias.kind === "mosaic") return { type: ALIAS_TYPE.mosaic, mosaicId: idText(alias.mosaicId) };
  if (alias.kind === "address") return { type: ALIAS_TYPE.address, address: hex(alias.address) };
  return { type: ALIAS_TYPE.none };
}

interface Source {
  readonly root: NamespaceState;
  readonly entry: NamespaceEntry;
}

/** An id of the path; GraphQL has them as a list. */
function level<Text extends string | undefined>(meaning: string, from: (source: Source) => Text) {
  const shown: Member<Source, Text> = {
    schema: NamespaceId as unknown as z.ZodType<Text>,
    scalar: undefined,
    meaning,
    from,
  };
  return shown;
}

const levelOf = ({ path }: NamespaceEntry, place: number) => (path.length > place ? idText(path[place]!) : undefined);

const NamespaceMetaDTO = z
  .object({
    active: z.boolean().describe("Whether the namespace, including its grace period, has not expired."),
    index: z.int().min(0).describe("Number of earlier registrations that can still be rolled back."),
  })
  .meta({ id: "NamespaceMetaDTO" });

/**
 * The REST body of one namespace of a root. In the stored form `meta` lacks `active`, which changes with the chain's
 * height: it is added when the body is read. Source: `NamespaceDescriptorMapper` of catapult's `extensions/mongo`.
 */
export const NAMESPACE_BODY = bodyOf(
  {
    id: "NamespaceInfoDTO",
    description: "State of a namespace.",
    member: "namespace",
    stateId: "NamespaceDTO",
    beside: { ...WITH_ID, meta: NamespaceMetaDTO },
  },
  {
    registrationType: {
      ...member(part.choice(1, NamespaceRegistrationTypeEnum), "0 root namespace, 1 child namespace."),
      from: ({ entry }: Source) => (entry.path.length === 1 ? REGISTRATION_TYPE.root : REGISTRATION_TYPE.child),
    },
    depth: {
      ...{ schema: z.int().min(1).max(3), scalar: "Int" as const, meaning: "Depth: 1 for a root, up to 3." },
      from: ({ entry }: Source) => entry.path.length,
    },
    level0: level("Id of the root.", ({ root, entry }) => levelOf(entry, 0) ?? idText(root.id)),
    level1: {
      ...level("Id of the second part of the name; absent for a root namespace.", ({ entry }) => levelOf(entry, 1)),
      isOptional: true,
    },
    level2: {
      ...level("Id of the third part of the name; absent if there is none.", ({ entry }) => levelOf(entry, 2)),
      isOptional: true,
    },
    alias: {
      ...{ schema: AliasDTO as z.ZodType<AliasBody>, scalar: undefined, meaning: "What the namespace points to." },
      from: ({ entry }: Source) => aliasBody(entry.alias),
    },
    parentId: level("Id of the parent; zeros for a root.", ({ entry }) => idText(entry.path.at(-2) ?? 0n)),
    ownerAddress: {
      ...member(part.address, "Address of the account that registered it."),
      from: ({ root }: Source) => hex(root.ownerAddress),
    },
    startHeight: {
      ...member(part.height(Height), "Height of the block that registered its root."),
      from: ({ root }: Source) => decimalText(root.startHeight),
    },
    endHeight: {
      ...{ schema: Height as z.ZodType<string>, scalar: "UInt64" as const },
      meaning: "Height of the first block after its grace period; 2^64 - 1 if it never ends.",
      from: ({ root }: Source) => decimalText(root.endHeight),
    },
  },
);

/** The REST body of a namespace. */
export type NamespaceBody = BodyIn<typeof NAMESPACE_BODY> & { readonly meta: z.infer<typeof NamespaceMetaDTO> };
