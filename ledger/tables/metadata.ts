import { metadataCompositeHash } from "../../catapult/state/composite-hash.js";
import { ByteWriter } from "../trees/byte-writer.js";
import type { Journal } from "../trees/journal.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

/** Identity of a metadata entry. */
export interface MetadataKey {
  readonly source: Buffer;
  readonly target: Buffer;
  readonly scopedKey: bigint;
  /** Mosaic or namespace id; 0 for an account. */
  readonly targetId: bigint;
  readonly type: number;
}

export interface MetadataEntry extends MetadataKey {
  readonly value: Buffer;
}

/** The metadata of the chain. */
export class MetadataEntries {
  readonly table: StateTable<string, MetadataEntry>;

  constructor(journal: Journal, parent?: MetadataEntries) {
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: serializeMetadata }, parent?.table);
  }

  get(key: MetadataKey): MetadataEntry | undefined {
    return this.table.get(mapKey(metadataHash(key)));
  }

  /** Sets a value; an empty one removes the entry. */
  set(key: MetadataKey, value: Buffer): void {
    const hash = mapKey(metadataHash(key));
    if (value.length === 0 && this.table.has(hash)) this.table.delete(hash);
    else this.table.set(hash, { ...key, value });
  }
}

/** The composite hash of an entry, used in requests. */
export function metadataHash({ source, target, scopedKey, targetId, type }: MetadataKey): Buffer {
  return metadataCompositeHash({
    sourceAddress: source,
    targetAddress: target,
    scopedMetadataKey: scopedKey,
    targetId,
    metadataType: type,
  });
}

function serializeMetadata(entry: MetadataEntry): Buffer {
  return new ByteWriter(128)
    .uint16(1)
    .bytes(entry.source)
    .bytes(entry.target)
    .uint64(entry.scopedKey)
    .uint64(entry.targetId)
    .uint8(entry.type)
    .uint16(entry.value.length)
    .bytes(entry.value)
    .toBuffer();
}
