import { readHead } from "../../database/queries/head.js";
import { BackfillRangeError } from "../../indexer/chain/step/errors.js";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { secretLock } from "../devnet/state-descriptors.js";
import type { DevnetFixture } from "./devnet.js";
import { fillExecuted } from "./fill-executed.js";
import type { IndexedDatabase } from "./indexer-fixture.js";
import { LogLines } from "./log-lines.js";
import type { SeededRandom } from "./seeded-random.js";
import { TransactionMaker } from "./transaction-maker.js";
import { transferPayload } from "./transfers.js";

/** Of one walk. */
const STEPS = 10;

/** One index that follows a devnet through walks of blocks, restarts, finalization and forks. */
export class WalkingIndex {
  readonly log = new LogLines();
  readonly #node: DevnetFixture;
  readonly #index: IndexedDatabase;
  readonly #options: Partial<IndexerOptions>;
  readonly #random: SeededRandom;
  readonly #maker: TransactionMaker;
  readonly #disturb: () => void;
  #made = 0;
  /** Height of the index when it was started. */
  #startedAt = 0;

  /** @param disturb called in each step */
  constructor(
    node: DevnetFixture,
    index: IndexedDatabase,
    options: Partial<IndexerOptions>,
    random: SeededRandom,
    disturb: () => void = () => undefined,
  ) {
    this.#disturb = disturb;
    this.#node = node;
    this.#index = index;
    this.#options = { ...options, log: this.log.logger };
    this.#random = random;
    this.#maker = new TransactionMaker(node.devnet);
  }

  async walk(): Promise<void> {
    for (let step = 0; step < STEPS; ++step) {
      const kind = this.#random.below(8);
      if (kind < 2) await this.#grow();
      else if (kind < 4) await this.#finalize();
      else if (kind < 6) this.#fork();
      else await this.restart();
      this.#disturb();
      // What happens between two polls is one step of the index: sometimes several of these, sometimes one.
      if (this.#random.below(3) > 0) await this.caughtUp();
    }
    await this.caughtUp();
  }

  async restart(): Promise<void> {
    await this.#index.stop();
    if (this.#random.below(4) === 0) await this.#fill();
    this.#startedAt = (await readHead(this.#index.db))?.height ?? 0;
    await this.#index.follow(this.#node.devnet, this.#options);
    if (this.#random.below(3) > 0) await this.caughtUp();
  }

  /** A backfill between two runs of the indexer: from the node, or all anew from the bytes in the database. */
  async #fill(): Promise<void> {
    const hasBytes = (await readHead(this.#index.db)) !== undefined;
    const source = hasBytes && this.#random.below(4) === 0 ? "raw" : "node";
    const { log, execution } = this.#options;
    const config = execution!.configOf(this.#node.devnet.network)!;
    const filling = fillExecuted(this.#index, config, { nodes: [this.#node.devnet], source, log, execution });
    await filling.catch((error: unknown) => {
      // Only an indexer leaves a branch.
      if (!(error instanceof BackfillRangeError && /has left the chain/.test(error.message))) throw error;
    });
  }

  async caughtUp(): Promise<void> {
    const { devnet } = this.#node;
    const { hash } = devnet.block(devnet.height);
    const final = devnet.finalized.height;
    await this.#index.waitFor((head) => head.hash.equals(hash) && head.finalization.height === final);
  }

  async #grow(): Promise<void> {
    const { devnet } = this.#node;
    for (let count = 1 + this.#random.below(4); count > 0; --count) {
      for (const payload of this.#transactions()) devnet.announce(payload);
      await devnet.harvest(1);
    }
  }

  /** Mostly a few of the lowest open blocks: what becomes final then is often below the start of the index. */
  async #finalize(): Promise<void> {
    const { devnet } = this.#node;
    const open = devnet.height - devnet.finalized.height;
    if (open === 0) return;
    const most = this.#random.below(4) === 0 ? open : Math.min(open, 3);
    devnet.finalize(devnet.finalized.height + 1 + this.#random.below(most));
    if (devnet.finalized.height < this.#startedAt) await this.caughtUp();
  }

  #fork(): void {
    const { devnet } = this.#node;
    const open = devnet.height - devnet.finalized.height;
    if (open === 0) return;
    const dropped = 1 + this.#random.below(this.#random.below(4) === 0 ? open : 1);
    const blocks = dropped + 1 + this.#random.below(2);
    const transactions = Array.from({ length: blocks }, () => this.#transactions());
    devnet.fork({ from: devnet.height - dropped, blocks, transactions, keepTransactions: this.#random.below(2) === 0 });
  }

  /** Transfers and secret locks that end after a few blocks. */
  #transactions(): Buffer[] {
    const [alice, bob] = [this.#node.account("alice"), this.#node.account("bob")];
    const { devnet } = this.#node;
    return Array.from({ length: this.#random.below(3) }, () => {
      this.#made += 1;
      if (this.#random.below(2) === 0) {
        return transferPayload(devnet, alice, bob.address, BigInt(this.#random.below(1_000)));
      }
      const change = {
        recipientAddress: new Uint8Array(alice.address),
        mosaic: { mosaicId: devnet.currencyMosaicId, amount: 7n },
        duration: BigInt(1 + this.#random.below(6)),
      };
      return this.#maker.transaction(bob, secretLock(`secret ${this.#made}`, change));
    });
  }
}
