import { idBytes } from "../../catapult/state/composite-hash.js";
import { MOSAIC_CODEC, type MosaicState } from "../../catapult/state/mosaic.js";
import { HeightGroups, type Journal } from "../trees/journal.js";
import { ascending, StateTable } from "../trees/state-table.js";

/** Bits of a mosaic's flags. */
export const MosaicFlag = { supplyMutable: 1, transferable: 2, restrictable: 4, revokable: 8 } as const;

/** The mosaics of the chain. Expired ones remain. */
export class Mosaics {
  readonly table: StateTable<bigint, MosaicState>;
  readonly #expiries: HeightGroups<bigint>;

  constructor(journal: Journal, parent?: Mosaics) {
    this.table = new StateTable(journal, { keyBytes: idBytes, serialize: MOSAIC_CODEC.encode }, parent?.table);
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
