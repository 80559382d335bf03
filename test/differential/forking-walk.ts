import { join } from "node:path";
import type { Block } from "../../catapult/entity/model.js";
import { transferContent } from "../../catapult/entity/transaction-writer.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import { SeededRandom } from "../support/seeded-random.js";
import { pause } from "../support/until.js";
import { ChainMirror } from "./chain-mirror.js";
import { FollowedIndex } from "./followed-index.js";
import { Predictions } from "./predictions.js";
import { TransactionDrawing } from "./transaction-drawing.js";
import { WalkCast } from "./walk-cast.js";
import { messageProblems, readMessages } from "./walk-messages.js";
import { firstFunds, firstFundsOf } from "./walk-nemesis.js";
import { createWalkNetwork, type Party, type WalkNetwork } from "./walk-network.js";
import { WalkedNetwork, type WalkedNode } from "./walked-network.js";

const XYM = 1_000_000n;
const NODES = 4;
const HARVESTERS = 24;
const TICK_MS = 40;
/** Announcements of a tick at one node, and those of a node without an answer. */
const BURST = 4;
const MAX_PENDING = 80;
/** A cut lasts until both sides have between one and this number of new blocks, or for this time. */
const LONGEST_BRANCH = 5;
const LONGEST_CUT_MS = 60_000;
/** Nodes that are connected agree within this time. */
const AGREE_MS = 120_000;
const INDEX_MS = 180_000;

/** What to walk. */
export interface ForkingWalkOptions {
  /** Folder of the reference's programs. */
  readonly programs: string;
  readonly blocks: number;
  /** Branches that nodes leave, all of them together. */
  readonly forks: number;
  /** Announcements for each block of each node. */
  readonly transactionsPerBlock: number;
  readonly log: (line: string) => void;
}

/** What was seen. */
export interface ForkingWalkReport {
  readonly height: number;
  /** Whether nodes finalized different blocks: the rest is then of those with the longest chain. */
  readonly isSplit: boolean;
  readonly transactions: number;
  readonly harvesters: number;
  /** Lengths of the branches that each node has left. */
  readonly forks: readonly (readonly number[])[];
  /** Number of times that links were cut. */
  readonly cuts: number;
  /** Different rounds that nodes reported as final, and those for a block that is not in the chain at the end. */
  readonly rounds: number;
  readonly roundsOutside: number;
  readonly finalizedHeight: number;
  /** Rounds of which the index verified a proof. */
  readonly proofs: number;
  /** Heights at which the index was killed. */
  readonly restarts: readonly number[];
  /** Messages of the index by their channel. */
  readonly messages: Readonly<Record<string, number>>;
  /** What differs between the index and the nodes. */
  readonly differences: readonly string[];
}

/** A node, its chain executed by our own rules, and what was announced to it. */
interface Member {
  readonly node: WalkedNode;
  readonly client: NodeClient;
  readonly mirror: ChainMirror;
  readonly predictions: Predictions;
  head: Buffer | undefined;
  announced: number;
}

/** A cut between some nodes and the others. */
interface Cut {
  readonly side: ReadonlySet<number>;
  /** Of each node when the links were cut. */
  readonly heights: readonly number[];
  /** New blocks that both sides are to have. */
  readonly blocks: number;
  readonly deadline: number;
}

/**
 * A walk beside four nodes of the reference that all harvest and vote, with their links cut and healed and the index
 * killed: see `forking-walk.test.ts`.
 */
export class ForkingWalk {
  readonly #options: ForkingWalkOptions;
  readonly #random: SeededRandom;
  readonly #network: WalkNetwork;
  readonly #walked: WalkedNetwork;
  readonly #cast: WalkCast;
  readonly #drawing: TransactionDrawing;
  #members: readonly Member[];
  /** Whether nodes have finalized different blocks: it is a fault of theirs, after which they reject each other for good. */
  #isSplit = false;
  /** Whose chain transactions are drawn for. */
  #current: Member;
  #cut: Cut | undefined;
  #cuts = 0;
  #nextCut = 3;
  #agreeBy = Date.now() + AGREE_MS;
  #nextRestart = 10;
  #height = 0;

  private constructor(options: ForkingWalkOptions, walked: WalkedNetwork, cast: WalkCast, random: SeededRandom) {
    this.#options = options;
    this.#random = random;
    this.#network = walked.network;
    this.#walked = walked;
    this.#cast = cast;
    const { config, identity } = walked.network;
    this.#members = walked.nodes.map((node) => {
      const client = node.client();
      const mirror = new ChainMirror(client, config, identity, walked.nemesis.block);
      const predictions = new Predictions(mirror.state, walked.network, () => this.#now());
      return { node, client, mirror, predictions, head: undefined, announced: 0 };
    });
    this.#current = this.#members[0]!;
    this.#drawing = new TransactionDrawing(cast);
    cast.follow(() => this.#current.mirror.state.tables);
  }

  /** Walks until there are enough blocks and forks. @throws Error for a block that our rules execute differently */
  static async run(options: ForkingWalkOptions): Promise<ForkingWalkReport> {
    const random = new SeededRandom();
    const network = createWalkNetwork(`walk ${random.below(2 ** 31)}`, HARVESTERS, "public", NODES);
    const cast = new WalkCast(network, random);
    const walked = await WalkedNetwork.start(network, firstFundsOf(cast.accounts), options.programs);
    let isKept = true;
    try {
      const report = await new ForkingWalk(options, walked, cast, random).#walk();
      isKept = report.differences.length > 0;
      return report;
    } finally {
      if (isKept) options.log(`The nodes' folder is kept: ${walked.folder}`);
      await walked.stop(isKept);
    }
  }

  async #walk(): Promise<ForkingWalkReport> {
    const nodes = this.#walked.nodes.map(({ endpoint }) => endpoint);
    const index = await FollowedIndex.start({ nodes, config: this.#network.config });
    try {
      const { blocks, forks } = this.#options;
      while (!this.#isSplit && (this.#cut || this.#commonHeight() < blocks || this.#forks() < forks)) {
        await this.#follow();
        await this.#atHeight(index);
        this.#moveLinks();
        await this.#announceSome();
        await pause(TICK_MS);
      }
      return await this.#finish(index);
    } finally {
      await index.close();
    }
  }

  /** Follows the chains of all nodes. */
  async #follow(): Promise<void> {
    await Promise.all(
      this.#members.map(async (member) => {
        const { node, mirror, predictions } = member;
        node.requireRunning();
        const blocks = await mirror.follow();
        const head = mirror.hashAt(mirror.height)!;
        if (member.head?.equals(head)) return;
        member.head = head;
        member.announced = 0;
        predictions.follow(blocks);
      }),
    );
  }

  /** What happens once in some blocks. */
  async #atHeight(index: FollowedIndex): Promise<void> {
    const height = Math.max(...this.#members.map(({ mirror }) => mirror.height));
    if (height <= this.#height) return;
    this.#height = height;
    this.#current = this.#members.find(({ mirror }) => mirror.height === height)!;
    if (height % 3 === 0) await this.#pay(this.#cast.replaceAccount(), firstFunds(this.#random.below(8)));
    const poor = this.#cast.account();
    if (this.#cast.balance(poor) < 500n * XYM) await this.#pay(poor, 2_000n * XYM);
    if (height >= this.#nextRestart) {
      await index.restart();
      this.#nextRestart = height + 5 + this.#random.below(30);
    }
    if (height % 10 === 0) this.#options.log(this.#progress((await index.head())?.height ?? 0));
  }

  /** Cuts links when all nodes agree, and heals them when both sides have blocks of their own. */
  #moveLinks(): void {
    const { links } = this.#walked;
    if (this.#cut) {
      if (!this.#isCutOver(this.#cut)) return;
      links.heal();
      this.#cut = undefined;
      this.#agreeBy = Date.now() + AGREE_MS;
      this.#nextCut = this.#height + 1 + this.#random.below(4);
      return;
    }
    if (!this.#agree()) {
      if (Date.now() > this.#agreeBy) this.#split();
      return;
    }
    this.#agreeBy = Date.now() + AGREE_MS;
    if (this.#height < this.#nextCut || this.#height < 3) return;
    const indexes = [...this.#members.keys()];
    const side = new Set(this.#random.some(indexes, 1 + this.#random.below(2)));
    const heights = this.#members.map(({ mirror }) => mirror.height);
    const blocks = 1 + this.#random.below(LONGEST_BRANCH);
    this.#cut = { side, heights, blocks, deadline: Date.now() + LONGEST_CUT_MS };
    this.#cuts += 1;
    links.separate(side);
  }

  /** The walk ends at a split, and the index is compared with the nodes of the longest chain. */
  #split(): void {
    this.#options.log(`The nodes have finalized different blocks: ${this.#progress(0)}`);
    this.#isSplit = true;
    const height = this.#commonHeight();
    const [longest] = this.#members.toSorted((one, other) => other.mirror.height - one.mirror.height);
    const hash = longest!.mirror.hashAt(height)!;
    this.#members = this.#members.filter(({ mirror }) => mirror.hashAt(height)?.equals(hash));
  }

  #isCutOver({ side, heights, blocks, deadline }: Cut): boolean {
    const grown = [0, 0];
    for (const [index, { mirror }] of this.#members.entries()) {
      const of = side.has(index) ? 0 : 1;
      grown[of] = Math.max(grown[of]!, mirror.height - heights[index]!);
    }
    return Math.min(...grown) >= blocks || Date.now() > deadline;
  }

  /** Whether all nodes have the same chain, up to the shortest one. */
  #agree(): boolean {
    const height = this.#commonHeight();
    const [hash] = this.#members.map(({ mirror }) => mirror.hashAt(height)!);
    return this.#members.every(({ mirror }) => mirror.hashAt(height)?.equals(hash!));
  }

  #commonHeight(): number {
    return Math.min(...this.#members.map(({ mirror }) => mirror.height));
  }

  #forks(): number {
    return this.#members.reduce((sum, { mirror }) => sum + mirror.forks.length, 0);
  }

  /** Announces transactions to one of the nodes, which passes them on. */
  async #announceSome(): Promise<void> {
    const member = this.#random.some(this.#members, 1)[0]!;
    const { mirror, predictions } = member;
    this.#current = member;
    for (let count = 0; count < BURST; ++count) {
      if (mirror.height === 1 || predictions.pending > MAX_PENDING) return;
      if (member.announced > this.#options.transactionsPerBlock) return;
      for (const bytes of this.#drawing.draw(mirror.height + 1, this.#now())) await this.#announce(bytes);
    }
  }

  /** Announces what is expected to be confirmed, and some of the rest. */
  async #announce(bytes: Buffer): Promise<void> {
    const { predictions, client } = this.#current;
    const { answer, isStateless, announce } = predictions.try(bytes);
    if (isStateless || (answer !== "Success" && !this.#cast.chance(10))) return;
    announce();
    this.#current.announced += 1;
    await client.pushTransactions([bytes]);
  }

  async #pay(to: Party, amount: bigint): Promise<void> {
    const { bank, currencyMosaicId: mosaicId } = this.#network;
    const content = transferContent(to.address, [{ mosaicId, amount }], Buffer.alloc(0));
    await this.#announce(this.#drawing.single(bank, content, this.#now()));
  }

  async #finish(index: FollowedIndex): Promise<ForkingWalkReport> {
    const deadline = Date.now() + INDEX_MS;
    while (!this.#agree() || !(await this.#isReached(index))) {
      if (Date.now() > deadline)
        throw new Error(`The index is not where the nodes are: ${await this.#describe(index)}`);
      await this.#follow();
      await pause(TICK_MS);
    }
    const { finalization, height, eventSequence } = (await index.head())!;
    const { mirror } = this.#members[0]!;
    const blocks = mirror.blocks.slice(0, height);
    const rounds = new Map(this.#members.flatMap((member) => [...member.mirror.finalizations]));
    const outside = [...rounds.values()].filter((final) => mirror.hashAt(final.height)?.equals(final.hash) !== true);
    const { problems, counts } = await this.#messages(index, eventSequence, blocks);
    const checked: string[] = [];
    for (const { node } of this.#members) checked.push(...(await index.check(node.endpoint)));
    return {
      height,
      isSplit: this.#isSplit,
      transactions: blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
      harvesters: new Set(blocks.map(({ signerAddress }) => mapKey(signerAddress))).size,
      forks: this.#members.map((member) => member.mirror.forks),
      cuts: this.#cuts,
      rounds: rounds.size,
      roundsOutside: outside.length,
      finalizedHeight: finalization.height,
      proofs: await index.proofs(),
      restarts: index.restarts,
      messages: counts,
      differences: [...(await this.#compareBlocks(index)), ...checked, ...problems],
    };
  }

  /**
   * Whether the index has a head on which all nodes agree, and at least the finality of the newest round whose block is in
   * their chain: a proof for another block may prove a later one. It is killed then.
   */
  async #isReached(index: FollowedIndex): Promise<boolean> {
    const head = await index.head();
    if (!head || head.height < Math.min(this.#options.blocks, this.#commonHeight())) return false;
    const { finalization } = head;
    if (finalization.height < (this.#newestFinalization()?.height ?? 0)) return false;
    if (![head, finalization].every((block) => this.#isOnAll(block))) return false;
    await index.freeze();
    const frozen = (await index.head())!;
    if (frozen.hash.equals(head.hash)) return true;
    await index.restart();
    return false;
  }

  #isOnAll({ height, hash }: { readonly height: number; readonly hash: Buffer }): boolean {
    return this.#members.every(({ mirror }) => mirror.hashAt(height)?.equals(hash));
  }

  /** The newest finalized block that is in the chain of its node. */
  #newestFinalization() {
    return this.#members
      .flatMap(({ mirror }) =>
        [...mirror.finalizations.values()].filter((one) => mirror.hashAt(one.height)?.equals(one.hash)),
      )
      .sort((one, other) => other.height - one.height)[0];
  }

  /** Compares every block with that of each node. A node serves no receipts; the hash in the header covers them. */
  async #compareBlocks(index: FollowedIndex): Promise<string[]> {
    const blocks = await index.blocks();
    return this.#members.flatMap(({ mirror }, node) =>
      blocks.flatMap(({ height, block }) =>
        mirror.blocks[height - 1]?.bytes.equals(block) ? [] : [`block ${height} of node ${node}`],
      ),
    );
  }

  async #messages(index: FollowedIndex, sequence: number, blocks: readonly Block[]) {
    const nodes = this.#walked.nodes.map(({ endpoint }) => endpoint);
    const resourcesDirectory = join(this.#walked.folder, "node0", "resources");
    const messages = await readMessages({ databaseUrl: index.databaseUrl, nodes, resourcesDirectory }, sequence);
    return messageProblems(messages, blocks);
  }

  async #describe(index: FollowedIndex): Promise<string> {
    const head = await index.head();
    const newest = this.#newestFinalization();
    return `${this.#progress(head?.height ?? 0)}, index final ${head?.finalization.height}, nodes final ${newest?.height}`;
  }

  #progress(reached: number): string {
    const heights = this.#members.map(({ mirror }) => mirror.height).join("/");
    const final = this.#members.map(({ mirror }) => mirror.finalizedHeight).join("/");
    const forks = this.#members.map(({ mirror }) => mirror.forks.length).join("/");
    const confirmed = this.#current.mirror.blocks.reduce((sum, { transactions }) => sum + transactions.length, 0);
    return `blocks ${heights}, final ${final}, forks ${forks}, ${this.#cuts} cuts, index ${reached}, ${confirmed} transactions`;
  }

  #now(): number {
    return Date.now() - this.#network.config.epochAdjustment;
  }
}
