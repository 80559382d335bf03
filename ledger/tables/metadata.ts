import { type MetadataIdentity, metadataCompositeHash } from "../../catapult/state/composite-hash.js";
import { METADATA_CODEC, type MetadataState } from "../../catapult/state/metadata.js";
import type { Journal } from "../trees/journal.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

export class MetadataEntries {
  readonly table: StateTable<string, MetadataState>;

  constructor(journal: Journal, parent?: MetadataEntries) {
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: METADATA_CODEC.encode }, parent?.table);
  }

  get(identity: MetadataIdentity): MetadataState | undefined {
    return this.table.get(mapKey(metadataCompositeHash(identity)));
  }

  /** Sets a value; an empty one removes the entry. */
  set(identity: MetadataIdentity, value: Buffer): void {
    const hash = mapKey(metadataCompositeHash(identity));
    if (value.length === 0 && this.table.has(hash)) this.table.delete(hash);
    else this.table.set(hash, { ...identity, valueSize: value.length, value });
  }
}
