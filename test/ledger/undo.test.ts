import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block } from "../../catapult/entity/model.js";
import type { StateKey } from "../../catapult/state/key.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { StoredEntry } from "../../ledger/engine/entry-loader.js";
import { loadAt } from "../support/chain-run.js";
import { describeRecorded } from "../support/describe-chains.js";
import { recordedConfig } from "../support/known-networks.js";
import { recordedForks } from "../support/recorded-node.js";
import { SeededRandom } from "../support/seeded-random.js";
import { StateStore } from "../support/state-store.js";

/** `TEST_UNDO_WALKS=5000` draws more. */
const WALKS = Number(process.env.TEST_UNDO_WALKS ?? 250);
const STEPS = 9;
/** Walks begin at these distances; as many blocks below their beginnings are not final. */
const START_EVERY = 45;
const OPEN_BLOCKS = 30;

/** Where a walk begins. */
interface Start {
  readonly height: number;
  readonly finalizedHeight: number;
  readonly store: StateStore;
}

const figures = { blocks: 0, restarts: 0, forks: 0, dropped: 0, finalizations: 0, belowStart: 0, loads: 0 };

describeRecorded("the undo data of a state", (chain) => {
  const config = recordedConfig(chain);
  const main = chain.blocks().map(({ block }) => decodeBlock(block, chain.network));
  const forks = recordedForks(chain).flatMap(({ before, after }) => [before, after]);
  const branches = [
    main,
    ...forks.map((blocks) => [
      ...main,
      ...blocks.slice(main.length).map(({ block }) => decodeBlock(block, chain.network)),
    ]),
  ];

  /** Executes the recorded chain once, and keeps what an index would have stored on the way. */
  function startsOf(): Start[] {
    const state = new ChainState(config);
    const store = new StateStore();
    const starts: Start[] = [];
    for (const block of main) {
      store.apply(block.height, state.execute(block).changes);
      const finalizedHeight = Math.max(1, block.height - OPEN_BLOCKS);
      store.end(state.endedBy(finalizedHeight));
      state.finalize(finalizedHeight, main[finalizedHeight - 1]!.timestamp);
      if (block.height % START_EVERY !== 0) continue;
      starts.push({ height: block.height, finalizedHeight, store: store.copy() });
    }
    return starts;
  }

  const starts = startsOf();

  test("remain above a block that becomes final below the height where the state was loaded", async () => {
    const start = starts[3]!;
    const state = await loadAt(config, start.store, main, start.height, start.finalizedHeight);
    const next = main.slice(start.height, start.height + 3);
    const hashes = next.map((block) => state.execute(block).stateHash);
    const finalized = start.height - 1;
    state.finalize(finalized, main[finalized - 1]!.timestamp);
    expect(state.canRollBackTo(start.height - 1)).toBe(false);
    expect(state.canRollBackTo(start.height)).toBe(true);
    state.rollbackTo(start.height + 2);
    expect(state.execute(next[2]!).stateHash).toEqual(hashes[2]);
    state.rollbackTo(start.height);
    expect(state.execute(next[0]!).stateHash).toEqual(hashes[0]);
  });

  test("end with the block up to which they are discarded, also when it is the last one", () => {
    const state = new ChainState(config);
    for (const block of main.slice(0, 10)) state.execute(block);
    state.forgetUndo(10);
    expect(state.canRollBackTo(9)).toBe(false);
    expect(() => state.rollbackTo(9)).toThrow(/cannot roll back to 9/);
    const [next] = main.slice(10);
    const { stateHash } = state.execute(next!);
    state.rollbackTo(10);
    expect(state.execute(next!).stateHash).toEqual(stateHash);
  });

  test("restore the entries that a block changed after one that failed half-way", () => {
    const state = new ChainState(config);
    const store = new StateStore();
    for (const block of main.slice(0, 340)) store.apply(block.height, state.execute(block).changes);
    const next = main.slice(340, 344).flatMap(({ transactions }) => transactions);
    const failing: Block = { ...main[340]!, feeMultiplier: 0, transactions: [...next, ...next] };
    expect(() => state.execute(failing)).toThrow(
      new RegExp(`transaction ${next.length} .* Failure_Hash_Already_Exists`),
    );
    state.rollbackTo(330);
    store.rollBackTo(330);
    for (const block of main.slice(330, 360)) {
      for (const change of state.execute(block).changes) {
        expect(change.before).toEqual(store.get(change));
        store.put(change, change.after);
      }
    }
  });

  test(`are enough in ${WALKS} drawn walks of blocks, restarts, finalization and forks`, async () => {
    const random = new SeededRandom();
    for (let walk = 0; walk < WALKS; ++walk) await new Walk(random, starts[random.below(starts.length)]!).run();
    process.stderr.write(`undo data: ${WALKS} walks, ${JSON.stringify(figures)}\n`);
    expect(figures.belowStart).toBeGreaterThan(WALKS / 10);
    expect(figures.forks).toBeGreaterThan(WALKS);
  });

  /** An index in memory: a state, and the stored entries that it is loaded from. */
  class Walk {
    readonly #random: SeededRandom;
    readonly #store: StateStore;
    #branch: readonly Block[];
    #finalizedHeight: number;
    #loadedAt: number;
    #state: ChainState | undefined;
    #height: number;

    constructor(random: SeededRandom, start: Start) {
      this.#random = random;
      this.#store = start.store.copy();
      this.#branch = branches[random.below(branches.length)]!;
      this.#finalizedHeight = start.finalizedHeight;
      this.#loadedAt = this.#height = start.height;
    }

    async run(): Promise<void> {
      for (let step = 0; step < STEPS; ++step) {
        const kind = this.#random.below(8);
        if (kind < 3) await this.#grow();
        else if (kind < 5) await this.#finalize();
        else if (kind < 7) await this.#fork();
        else this.#restart();
      }
      await this.#grow();
    }

    #restart(): void {
      this.#state = undefined;
      figures.restarts += 1;
    }

    /** Loaded when it is needed, as an indexer does. */
    async #loaded(): Promise<ChainState> {
      if (this.#state) return this.#state;
      figures.loads += 1;
      this.#loadedAt = this.#height;
      this.#state = await loadAt(config, this.#store, this.#branch, this.#height, this.#finalizedHeight);
      return this.#state;
    }

    async #grow(): Promise<void> {
      const state = await this.#loaded();
      const count = 1 + this.#random.below(6);
      for (const block of this.#branch.slice(this.#height, this.#height + count)) {
        const { stateHash, receiptsHash, changes } = state.execute(block);
        const { entity, height } = block;
        const isEqual = stateHash.equals(entity.stateHash) && receiptsHash.equals(entity.receiptsHash);
        if (!isEqual) throw new Error(`the hashes of block ${height} differ`);
        for (const change of changes) expectEntry(change, change.before, this.#store);
        this.#store.apply(height, changes);
        this.#height = height;
        figures.blocks += 1;
      }
    }

    async #finalize(): Promise<void> {
      const open = this.#height - this.#finalizedHeight;
      if (open === 0) return;
      const state = await this.#loaded();
      this.#finalizedHeight += 1 + this.#random.below(open);
      this.#store.end(state.endedBy(this.#finalizedHeight));
      state.finalize(this.#finalizedHeight, this.#branch[this.#finalizedHeight - 1]!.timestamp);
      figures.finalizations += 1;
      if (this.#finalizedHeight < this.#loadedAt) figures.belowStart += 1;
    }

    async #fork(): Promise<void> {
      const open = this.#height - this.#finalizedHeight;
      if (open === 0) return;
      const other = branches[this.#random.below(branches.length)]!;
      let common = this.#height - 1 - this.#random.below(Math.min(open, 1 + this.#random.below(open)));
      while (common > this.#finalizedHeight && !other[common - 1]?.hash.equals(this.#branch[common - 1]!.hash))
        --common;
      if (other[common - 1]?.hash.equals(this.#branch[common - 1]!.hash)) this.#branch = other;
      figures.forks += 1;
      figures.dropped += this.#height - common;
      this.#store.rollBackTo(common);
      this.#height = common;
      if (!this.#state?.canRollBackTo(common)) this.#state = undefined;
      for (const key of this.#state?.rollbackTo(common) ?? []) {
        expectEntry(key, this.#state?.entry(key), this.#store);
      }
    }
  }
});

/** Like `expect(entry).toEqual(store.get(key))`, which takes longer than everything else here. */
function expectEntry(key: StateKey, entry: StoredEntry | undefined, store: StateStore): void {
  const stored = store.get(key);
  if (isSame(entry?.value, stored?.value) && isSame(entry?.history, stored?.history)) return;
  throw new Error(`${key.kind} ${key.key.toString("hex")} differs from the stored one`);
}

function isSame(left: Buffer | undefined, right: Buffer | undefined): boolean {
  return left && right ? left.equals(right) : left === right;
}
