import { idBytes } from "../../catapult/state/composite-hash.js";
import { ByteWriter } from "../trees/byte-writer.js";
import { HeightGroups, type Journal } from "../trees/journal.js";
import { ascending, StateTable } from "../trees/state-table.js";

/** Bits of a mosaic's flags. */
export const MosaicFlag = { supplyMutable: 1, transferable: 2, restrictable: 4, revokable: 8 } as const;

/** The state of a mosaic. */
export interface MosaicState {
  readonly id: bigint;
  readonly supply: bigint;
  readonly startHeight: number;
  readonly owner: Buffer;
  readonly revision: number;
  readonly flags: number;
  readonly divisibility: number;
  /** Blocks; 0 = unlimited. */
  readonly duration: bigint;
}

/** The mosaics of the chain. Expired ones remain. */
export class Mosaics {
  readonly table: StateTable<bigint, MosaicState>;
  readonly #expiries: HeightGroups<bigint>;

  constructor(journal: Journal, parent?: Mosaics) {
    this.table = new StateTable(journal, { keyBytes: idBytes, serialize: serializeMosaic }, parent?.table);
    this.#expiries = new HeightGroups(journal, parent === undefined ? undefined : parent.#expiries);
  }

  get(id: bigint): MosaicState | undefined {
    return this.table.get(id);
  }

  /** Adds a mosaic that exists after block `height`. */
  load(mosaic: MosaicState, height: number): void {
    if (mosaic.duration !== 0n) this.#expiries.load(expiryOf(mosaic), mosaic.id);
    this.table.load(mosaic.id, mosaic, height);
  }

  set(mosaic: MosaicState): void {
    const previous = this.table.get(mosaic.id);
    if (previous && previous.duration !== 0n) this.#expiries.remove(expiryOf(previous), mosaic.id);
    if (mosaic.duration !== 0n) this.#expiries.add(expiryOf(mosaic), mosaic.id);
    this.table.set(mosaic.id, mosaic);
  }

  /** Increases or decreases the supply of a mosaic, which must exist. */
  changeSupply(id: bigint, delta: bigint): void {
    const mosaic = this.table.get(id);
    if (mosaic) this.table.set(id, { ...mosaic, supply: mosaic.supply + delta });
  }

  /** The mosaics whose last block was the one before `height`, in the order of their ids. */
  expiringAt(height: number): readonly bigint[] {
    return this.#expiries
      .at(BigInt(height))
      .filter((id) => {
        const mosaic = this.table.get(id);
        return mosaic && !isMosaicActive(mosaic, height) && isMosaicActive(mosaic, height - 1);
      })
      .sort(ascending);
  }
}

/** Whether a mosaic is usable in block `height`. */
export function isMosaicActive(mosaic: MosaicState, height: number): boolean {
  return mosaic.duration === 0n || (height >= mosaic.startHeight && BigInt(height) < expiryOf(mosaic));
}

function expiryOf(mosaic: MosaicState): bigint {
  return BigInt(mosaic.startHeight) + mosaic.duration;
}

function serializeMosaic(mosaic: MosaicState): Buffer {
  return new ByteWriter(64)
    .uint16(1)
    .uint64(mosaic.id)
    .uint64(mosaic.supply)
    .uint64(mosaic.startHeight)
    .bytes(mosaic.owner)
    .uint32(mosaic.revision)
    .uint8(mosaic.flags)
    .uint8(mosaic.divisibility)
    .uint64(mosaic.duration)
    .toBuffer();
}
