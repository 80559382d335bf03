import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { readHead } from "../../database/queries/head.js";
import { checkDatabase } from "../../indexer/check/check.js";
import { describeDifference } from "../../indexer/check/findings.js";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { SeededRandom } from "../support/seeded-random.js";
import { TransactionMaker } from "../support/transaction-maker.js";

/** Of each source of state. `TEST_STATE_WALKS=170` runs more than 500 in all. */
const WALKS = Number(process.env.TEST_STATE_WALKS ?? 5);
const STEPS = 6;
/** Without progress, on a machine with much else to do. */
const LONG_MS = 120_000;
const SOURCES = ["execute", "node", "auto"] as const;

/** One index that follows a devnet through walks of blocks, restarts, finalization and forks. */
class WalkingIndex {
  readonly figures = { blocks: 0, restarts: 0, finalizations: 0, belowStart: 0, forks: 0, dropped: 0 };
  readonly log = new LogLines();
  readonly #node: DevnetFixture;
  readonly #index: IndexedDatabase;
  readonly #options: Partial<IndexerOptions>;
  readonly #random: SeededRandom;
  readonly #maker: TransactionMaker;
  #made = 0;
  /** Height of the index when it was started. */
  #startedAt = 0;

  constructor(node: DevnetFixture, index: IndexedDatabase, options: Partial<IndexerOptions>, random: SeededRandom) {
    this.#node = node;
    this.#index = index;
    this.#options = { ...options, log: this.log.logger };
    this.#random = random;
    this.#maker = new TransactionMaker(node.devnet);
  }

  async walk(): Promise<void> {
    for (let step = 0; step < STEPS; ++step) {
      const kind = this.#random.below(7);
      if (kind < 2) await this.#grow();
      else if (kind < 4) this.#finalize();
      else if (kind < 6) this.#fork();
      else await this.restart();
      // What happens between two looks at the node is one step of the index: sometimes it is, sometimes not.
      if (this.#random.below(3) > 0) await this.caughtUp();
    }
    await this.caughtUp();
  }

  async restart(): Promise<void> {
    await this.#index.stop();
    this.figures.restarts += 1;
    this.#startedAt = (await readHead(this.#index.db))?.height ?? 0;
    await this.#index.follow(this.#node.devnet, this.#options);
    if (this.#random.below(2) === 0) await this.caughtUp();
  }

  async caughtUp(): Promise<void> {
    const { devnet } = this.#node;
    const { hash } = devnet.block(devnet.height);
    const final = devnet.finalized.height;
    await this.#index.waitFor((head) => head.hash.equals(hash) && head.finalization.height === final, LONG_MS);
    if (this.#options.execution === undefined) await this.#index.waitForState(hash);
  }

  async #grow(): Promise<void> {
    const { devnet } = this.#node;
    for (let count = 1 + this.#random.below(4); count > 0; --count) {
      for (const payload of this.#transactions()) devnet.announce(payload);
      await devnet.harvest(1);
      this.figures.blocks += 1;
    }
  }

  #finalize(): void {
    const { devnet } = this.#node;
    const open = devnet.height - devnet.finalized.height;
    if (open === 0) return;
    devnet.finalize(devnet.finalized.height + 1 + this.#random.below(open));
    this.figures.finalizations += 1;
    if (devnet.finalized.height < this.#startedAt) this.figures.belowStart += 1;
  }

  #fork(): void {
    const { devnet } = this.#node;
    const open = devnet.height - devnet.finalized.height;
    if (open === 0) return;
    const dropped = 1 + this.#random.below(this.#random.below(2) === 0 ? 1 : open);
    const blocks = dropped + 1 + this.#random.below(2);
    const transactions = Array.from({ length: blocks }, () => this.#transactions());
    devnet.fork({ from: devnet.height - dropped, blocks, transactions, keepTransactions: this.#random.below(2) === 0 });
    this.figures.forks += 1;
    this.figures.dropped += dropped;
    this.figures.blocks += blocks;
  }

  /** Transfers and secret locks that end after a few blocks. */
  #transactions(): Buffer[] {
    const [alice, bob] = [this.#node.account("alice"), this.#node.account("bob")];
    const mosaicId = this.#node.devnet.currencyMosaicId;
    return Array.from({ length: this.#random.below(3) }, () => {
      this.#made += 1;
      if (this.#random.below(2) === 0) {
        const mosaics = [{ mosaicId, amount: BigInt(this.#random.below(1_000)) }];
        return this.#maker.transaction(alice, {
          type: "transfer_transaction_v1",
          recipientAddress: new Uint8Array(bob.address),
          mosaics,
        });
      }
      return this.#maker.transaction(bob, {
        type: "secret_lock_transaction_v1",
        recipientAddress: new Uint8Array(alice.address),
        secret: new Uint8Array(createHash("sha3-256").update(`secret ${this.#made}`).digest()),
        mosaic: { mosaicId, amount: 7n },
        duration: BigInt(1 + this.#random.below(6)),
        hashAlgorithm: "sha3_256",
      });
    });
  }
}

test.each(SOURCES)(
  "drawn walks of restarts, finalization and forks do not fail, with state from %s",
  async (source) => {
    const random = new SeededRandom();
    const startedAt = performance.now();
    const node = await DevnetFixture.start({ rules: { votingSetGrouping: 10 } });
    const index = await IndexedDatabase.create();
    const fresh = await IndexedDatabase.create();
    try {
      const config = await devnetConfig(node.devnet);
      const executing = { configOf: () => config, ...(source === "auto" && { orRead: true }) };
      const options: Partial<IndexerOptions> = {
        state: await node.stateRules(),
        ...(source !== "node" && { execution: executing }),
      };
      const walking = new WalkingIndex(node, index, options, random);
      await walking.restart();
      for (let walk = 0; walk < WALKS; ++walk) await walking.walk();
      await index.stop();
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const { log, figures } = walking;
      process.stderr.write(`state from ${source}: ${WALKS} walks in ${seconds} s, ${JSON.stringify(figures)}\n`);
      expect(log.matching(/"level":50|Loading the state again|reading state from the node/)).toEqual([]);

      const { devnet } = node;
      await fresh.follow(devnet, options);
      const { hash } = devnet.block(devnet.height);
      const final = devnet.finalized.height;
      await fresh.waitFor((head) => head.hash.equals(hash) && head.finalization.height === final, LONG_MS);
      await fresh.waitForState(hash);
      await fresh.stop();
      expect(await differences(fresh.url, index.url)).toEqual([]);
      const found: string[] = [];
      const { left } = await checkDatabase({
        databaseUrl: index.url,
        nodes: [devnet],
        credentials: clientCredentials,
        log: silentLog,
        report: (difference) => found.push(describeDifference(difference)),
        state: options.state,
      });
      expect({ found, left }).toEqual({ found: [], left: [] });
    } finally {
      await fresh.drop();
      await index.drop();
      await node.stop();
    }
  },
  3_600_000,
);
