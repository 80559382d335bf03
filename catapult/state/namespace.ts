import type { AliasBody, StoredNamespaceBody } from "../body/namespace.js";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import { type StateReader, stateDecoder } from "./state-reader.js";

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
  if (type === ALIAS_TYPE.address) return { kind: "address", address: reader.address(`${path}.address`) };
  return { kind: "none" };
}

function readChild(reader: StateReader, rootId: bigint, path: string): NamespaceEntry {
  const depth = reader.uint8(`${path}.depth`);
  if (depth < 1 || depth > MAX_CHILD_DEPTH) throw reader.error(`${path}.depth`, `is ${depth} instead of 1 or 2`);
  const ids = reader.list(depth, 8, `${path}.path`, (one) => reader.uint64(one));
  return { id: ids[depth - 1]!, path: [rootId, ...ids], alias: readAlias(reader, `${path}.alias`) };
}

/**
 * Decodes the state value of a root namespace, as last registered: earlier registrations are not part of it. Source:
 * catapult's `RootNamespaceHistoryNonHistoricalSerializer`.
 */
export const decodeNamespace = stateDecoder("namespace", (reader) => {
  const root = {
    id: reader.uint64("id"),
    ownerAddress: reader.address("ownerAddress"),
    startHeight: reader.safeUint64("startHeight"),
    /** The end of the grace period; `ETERNAL_HEIGHT` for a namespace that never ends. */
    endHeight: reader.uint64("endHeight"),
  };
  const { id } = root;
  const own: NamespaceEntry = { id, path: [id], alias: readAlias(reader, "alias") };
  const count = reader.uint64("childrenCount");
  const children = reader.list(count, LEAST_CHILD_SIZE, "children", (path) => readChild(reader, id, path));
  /** The root itself, then all its children, ascending by path. */
  const entries: readonly NamespaceEntry[] = [own, ...children];
  return { ...root, entries };
});

export type NamespaceState = ReturnType<typeof decodeNamespace>;

function aliasFields(alias: NamespaceAlias): AliasBody {
  if (alias.kind === "mosaic") return { type: ALIAS_TYPE.mosaic, mosaicId: idText(alias.mosaicId) };
  if (alias.kind === "address") return { type: ALIAS_TYPE.address, address: hex(alias.address) };
  return { type: ALIAS_TYPE.none };
}

/**
 * The REST body of one namespace of a root (`NamespaceInfoDTO`), without `meta.active`, which changes with the
 * chain's height: `withActive` adds it when the body is read. `id` is 24 hex digits, `index` see
 * `namespaceIndex`. Source: `NamespaceDescriptorMapper` of catapult's `extensions/mongo`.
 */
export function renderNamespace(root: NamespaceState, entry: NamespaceEntry, index: number, id: string): string {
  const { path } = entry;
  const [level0 = root.id, level1, level2] = path;
  const body: StoredNamespaceBody = {
    id,
    meta: { index },
    namespace: {
      version: 1,
      registrationType: path.length === 1 ? REGISTRATION_TYPE.root : REGISTRATION_TYPE.child,
      depth: path.length,
      level0: idText(level0),
      ...(level1 !== undefined && { level1: idText(level1) }),
      ...(level2 !== undefined && { level2: idText(level2) }),
      alias: aliasFields(entry.alias),
      parentId: idText(path.at(-2) ?? 0n),
      ownerAddress: hex(root.ownerAddress),
      startHeight: decimalText(root.startHeight),
      endHeight: decimalText(root.endHeight),
    },
  };
  return JSON.stringify(body);
}
