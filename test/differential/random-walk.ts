import type { Block } from "../../catapult/entity/model.js";
import { transferContent } from "../../catapult/entity/transaction-writer.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { SeededRandom } from "../support/seeded-random.js";
import { pause } from "../support/until.js";
import { ChainMirror } from "./chain-mirror.js";
import { FollowedIndex } from "./followed-index.js";
import { type PredictionCounts, Predictions } from "./predictions.js";
import { contentOf } from "./transaction-content.js";
import { TransactionDrawing } from "./transaction-drawing.js";
import { WalkCast } from "./walk-cast.js";
import { firstFunds, firstFundsOf } from "./walk-nemesis.js";
import { createWalkNetwork, type Party, type WalkKind, type WalkNetwork } from "./walk-network.js";
import { recordWalk } from "./walk-recording.js";
import { WalkedNetwork, type WalkedNode } from "./walked-network.js";

const XYM = 1_000_000n;
const HARVESTERS = 24;
/** Height at which the excluded voters get so much that the others could not finalize with them. */
const EXCLUDED_GROW = 75;
const EXCLUDED_GROWTH = 300_000_000n * XYM;
const TICK_MS = 40;
/** Announcements of a tick, and those without an answer: a node processes some hundred a second. */
const BURST = 12;
const MAX_PENDING = 150;
/** A node without a block for this time is started again. */
const STALL_MS = 40_000;
const INDEX_MS = 180_000;

/** What to walk. */
export interface WalkOptions {
  readonly kind: WalkKind;
  /** Folder of the reference's programs. */
  readonly programs: string;
  readonly blocks: number;
  /** Announcements for each block. */
  readonly transactionsPerBlock: number;
  readonly log: (line: string) => void;
  /** A folder for the chain, also of a walk that fails: see `recordWalk`. */
  readonly recordTo: string | undefined;
}

/** What was seen. */
export interface WalkReport {
  readonly blocks: readonly Block[];
  readonly predictions: PredictionCounts;
  readonly finalizedHeight: number;
  /** Restarts of the index, and heights at which it was compared. */
  readonly restarts: readonly number[];
  readonly compared: number;
  /** Of the index, at most three minutes after the last block. */
  readonly indexHeight: number;
  /** What `check` found in it. */
  readonly differences: readonly string[];
  readonly harvesters: number;
}

/** A walk beside a private network of the reference: see `random-walk.test.ts`. */
export class RandomWalk {
  readonly #options: WalkOptions;
  readonly #random: SeededRandom;
  readonly #network: WalkNetwork;
  readonly #cast: WalkCast;
  readonly #drawing: TransactionDrawing;
  readonly #node: WalkedNode;
  readonly #mirror: ChainMirror;
  readonly #predictions: Predictions;
  readonly #client: NodeClient;
  /** Sends what is invalid by its bytes alone: a node drops what else came from the same peer with it. */
  readonly #outsider: NodeClient;
  #announced = 0;
  #nextRestart = 0;
  #lastBlock = Date.now();
  #restartedAt = 0;

  private constructor(options: WalkOptions, walked: WalkedNetwork, cast: WalkCast, random: SeededRandom) {
    this.#options = options;
    this.#random = random;
    this.#network = walked.network;
    this.#node = walked.nodes[0]!;
    this.#cast = cast;
    this.#client = this.#node.client();
    this.#outsider = this.#node.client();
    const { config, identity } = walked.network;
    this.#mirror = new ChainMirror(this.#client, config, identity, walked.nemesis.block);
    this.#predictions = new Predictions(this.#mirror.state, walked.network, () => this.#now());
    this.#drawing = new TransactionDrawing(cast);
    cast.follow(() => this.#mirror.state.tables);
    this.#node.onStatus(({ hash, code }) => this.#predictions.reject(hash, code));
  }

  /** Walks to the last block. @throws Error for the first block that differs, after the node was stopped */
  static async run(options: WalkOptions): Promise<WalkReport> {
    const random = new SeededRandom();
    const network = createWalkNetwork(`walk ${random.below(2 ** 31)}`, HARVESTERS, options.kind);
    const cast = new WalkCast(network, random);
    const walked = await WalkedNetwork.start(network, firstFundsOf(cast.accounts), options.programs);
    let isKept = true;
    try {
      const report = await new RandomWalk(options, walked, cast, random).#walk();
      isKept = report.predictions.wrong.length > 0;
      return report;
    } finally {
      if (isKept) options.log(`The nodes' folder is kept: ${walked.folder}`);
      await walked.stop(isKept);
    }
  }

  async #walk(): Promise<WalkReport> {
    const index = await FollowedIndex.start({ nodes: [this.#node.endpoint], config: this.#network.config });
    try {
      while (this.#mirror.height < this.#options.blocks) {
        await this.#step(index);
        await pause(TICK_MS);
      }
      return await this.#finish(index);
    } finally {
      await index.close();
      const { recordTo } = this.#options;
      if (recordTo) await recordWalk(recordTo, this.#network, this.#mirror, this.#client);
    }
  }

  async #step(index: FollowedIndex): Promise<void> {
    this.#node.requireRunning();
    const blocks = await this.#mirror.follow();
    if (blocks.length > 0) {
      this.#lastBlock = Date.now();
      this.#predictions.follow(blocks);
      this.#announced = 0;
      await this.#atBlock(index);
    }
    if (Date.now() > this.#lastBlock + STALL_MS) await this.#restart();
    for (let count = 0; count < BURST && this.#mayAnnounce(); ++count) {
      for (const bytes of this.#drawing.draw(this.#mirror.height + 1, this.#now())) await this.#announce(bytes, 22);
    }
  }

  /** A node that creates no block is started again; then it has nothing pending. */
  async #restart(): Promise<void> {
    if (this.#restartedAt === this.#mirror.height) throw new Error(`There is no block after ${this.#restartedAt}`);
    this.#restartedAt = this.#mirror.height;
    this.#options.log(`There is no block after ${this.#restartedAt}: the node is started again`);
    await this.#node.restart();
    this.#predictions.forget();
    this.#lastBlock = Date.now();
  }

  /** A node passes over what is announced while its newest block is minutes old, as the first one is: it has time 0. */
  #mayAnnounce(): boolean {
    if (this.#mirror.height === 1) return false;
    return this.#announced < this.#options.transactionsPerBlock && this.#predictions.pending < MAX_PENDING;
  }

  /** Announces what is expected to be confirmed, and some of the rest. */
  async #announce(bytes: Buffer, percentOfRejected: number): Promise<void> {
    const { answer, isStateless, announce } = this.#predictions.try(bytes);
    if (answer !== "Success" && !this.#cast.chance(isStateless ? 3 : percentOfRejected)) return;
    announce();
    this.#announced += 1;
    await (isStateless ? this.#outsider : this.#client).pushTransactions([bytes]);
  }

  /** What happens once in some blocks. */
  async #atBlock(index: FollowedIndex): Promise<void> {
    const { height } = this.#mirror;
    const { bank, excludedVoters } = this.#network;
    if (height % 3 === 0) await this.#payBoth(bank, this.#cast.replaceAccount(), firstFunds(this.#random.below(8)));
    const poor = this.#cast.account();
    if (this.#cast.balance(poor) < 500n * XYM) await this.#pay(bank, poor, 2_000n * XYM);
    if (height % 5 === 0) await this.#aroundMaximum();
    if (height === EXCLUDED_GROW) for (const party of excludedVoters) await this.#payBoth(bank, party, EXCLUDED_GROWTH);
    if (height >= this.#nextRestart) {
      await index.restart();
      this.#nextRestart = height + 5 + this.#random.below(30);
    }
    const reached = await index.compare((at) => this.#mirror.hashAt(at));
    if (height % 10 === 0) this.#options.log(this.#progress(reached));
  }

  /**
   * A harvester gets the maximum or an atomic unit more, and gives it back; or links its keys again. It must not keep
   * more than the maximum: a node that may harvest with it cannot, and tries no other account.
   */
  async #aroundMaximum(): Promise<void> {
    const { harvesters, bank, config, harvestingMosaicId } = this.#network;
    const { account, vrf } = this.#cast.pick(harvesters);
    if (this.#cast.chance(25)) {
      for (const linkAction of [0, 1]) {
        await this.#send(account, contentOf("vrf_key_link", { linkedPublicKey: vrf.publicKey, linkAction }));
      }
      return;
    }
    const missing =
      config.maxHarvesterBalance - this.#cast.balance(account, harvestingMosaicId) + BigInt(this.#random.below(2));
    await this.#pay(bank, account, missing, harvestingMosaicId);
    await this.#pay(account, bank, missing + BigInt(this.#random.below(3)), harvestingMosaicId);
  }

  /** As much of the currency as of the harvesting mosaic. */
  async #payBoth(from: Party, to: Party, amount: bigint): Promise<void> {
    const { currencyMosaicId, harvestingMosaicId } = this.#network;
    for (const mosaicId of new Set([currencyMosaicId, harvestingMosaicId])) await this.#pay(from, to, amount, mosaicId);
  }

  #pay(from: Party, to: Party, amount: bigint, mosaicId = this.#network.currencyMosaicId): Promise<void> {
    const mosaics = [{ mosaicId, amount }];
    return this.#send(from, transferContent(to.address, mosaics, Buffer.alloc(0)));
  }

  #send(signer: Party, content: Parameters<TransactionDrawing["single"]>[1]): Promise<void> {
    return this.#announce(this.#drawing.single(signer, content, this.#now()), 100);
  }

  async #finish(index: FollowedIndex): Promise<WalkReport> {
    const { blocks, finalizedHeight } = this.#mirror;
    const deadline = Date.now() + INDEX_MS;
    let reached = 0;
    while (reached < blocks.length && Date.now() < deadline) {
      reached = await index.compare((height) => this.#mirror.hashAt(height));
      await pause(TICK_MS);
    }
    const harvesters = new Set(blocks.map(({ signerAddress }) => signerAddress.toString("hex"))).size;
    const { restarts, compared } = index;
    const predictions = this.#predictions.counts;
    const differences = await index.check();
    const ofIndex = { restarts, compared, indexHeight: reached, differences };
    return { blocks, predictions, finalizedHeight, harvesters, ...ofIndex };
  }

  #progress(reached: number): string {
    const { height, finalizedHeight, forks, blocks } = this.#mirror;
    const { equal, wrong, silent } = this.#predictions.counts;
    const confirmed = blocks.reduce((sum, { transactions }) => sum + transactions.length, 0);
    const answers = [...equal.values()].reduce((sum, count) => sum + count, 0);
    return (
      `block ${height}, final ${finalizedHeight}, index ${reached}, ${confirmed} transactions, ` +
      `answers ${answers} equal, ${wrong.length} wrong, ${silent} silent, ${forks.length} forks`
    );
  }

  #now(): number {
    return Date.now() - this.#network.config.epochAdjustment;
  }
}
