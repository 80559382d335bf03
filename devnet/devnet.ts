import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import { addressOfPublicKey } from "../catapult/address.js";
import { decodeBlock } from "../catapult/block.js";
import { loadOrCreateCredentials } from "../catapult/certificate.js";
import { Announcer } from "./announcer.js";
import type { Devnet, DevnetOptions, ForkOptions } from "./api.js";
import { Chain } from "./chain.js";
import { createDevnetEvents } from "./events.js";
import { writeFinalizationProof } from "./finalization-proof.js";
import { Finalizer } from "./finalizer.js";
import { Harvester } from "./harvester.js";
import type { DevnetKeys } from "./keys.js";
import { deriveDevnetKeys } from "./keys.js";
import type { Ledger } from "./ledger.js";
import { createLedger } from "./ledger.js";
import { createNemesis } from "./nemesis.js";
import type { DevnetNetwork } from "./network.js";
import { createNetwork } from "./network.js";
import { createNodeHandlers } from "./node-handlers.js";
import { PacketServer } from "./packet-server.js";
import { DEFAULT_FINALIZATION, DEFAULT_RULES } from "./settings.js";
import type { DevnetTransaction } from "./transaction.js";
import { decodeDevnetTransaction, toDevnetTransaction } from "./transaction.js";
import { findRefusal } from "./transaction-check.js";
import { TransactionPool } from "./transaction-pool.js";

export type { AnnounceResult } from "./announcer.js";
export type { Devnet, DevnetAccount, DevnetOptions, ForkOptions } from "./api.js";

const DEFAULT_SEED = "development";
const NODE_NAME = "devnet";
/** Blocks between two clean-ups while a chain is read again. */
const SETTLE_INTERVAL = 1000;

/**
 * Starts a development node: opens its chain or begins one, listens, and (if asked for) makes blocks. Throws
 * `ChainFileError` if the folder holds the chain of another seed, and the system's error if the port is taken.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { log, dataDirectory } = options;
  const blockMs = options.blockMs ?? DEFAULT_RULES.blockGenerationTargetTime;
  const rules = { ...DEFAULT_RULES, blockGenerationTargetTime: blockMs, ...options.rules };
  const keys = deriveDevnetKeys(options.seed ?? DEFAULT_SEED);
  const network = createNetwork(keys, rules);
  const clock = options.clock ?? Date.now;
  const now = () => Math.max(0, clock() - rules.epochAdjustment * 1000);

  const credentials = await loadOrCreateCredentials(join(dataDirectory, "tls"), {
    commonName: NODE_NAME,
    mainPrivateKey: keys.harvester.privateKey,
  });
  const ledger = createLedger(network);
  const chain = openChain(dataDirectory, network, keys, ledger, log);
  try {
    const events = createDevnetEvents();
    const pool = new TransactionPool({ ledger, network, now, events, log });
    const announcer = new Announcer({ network, pool, log, gatherMs: options.gatherMs ?? 0 });
    const finalization = { ...DEFAULT_FINALIZATION, ...options.finalization };
    const finalizer = new Finalizer({ chain, keys, rules, finalization, events });
    const harvester = new Harvester({ chain, ledger, pool, network, keys, now, events });
    events.on("finalizedBlock", ({ height }) => ledger.settle(height, chain.entry(height).timestamp));
    const endpoint = () => server.address();
    const parts = { chain, finalizer, pool, announcer, network, keys, now };
    const handlers = createNodeHandlers({ ...parts, endpoint, friendlyName: NODE_NAME });
    const { host, port } = options;
    const server = await PacketServer.listen({ ...(host && { host }), port, credentials, log, handlers });
    const node = new DevelopmentNode({ ...parts, ledger, harvester, events, handlers, server, log });
    if (options.autoHarvest ?? true) node.startHarvesting(blockMs);
    log.info({ ...server.address(), height: chain.height }, "devnet: listening");
    return node;
  } catch (error) {
    chain.close();
    throw error;
  }
}

/** Opens the chain of a folder, and brings the ledger to its head. */
function openChain(folder: string, network: DevnetNetwork, keys: DevnetKeys, ledger: Ledger, log: Logger): Chain {
  const nemesis = createNemesis(network, keys, ledger);
  const round = { epoch: 1, point: 1, height: 1, hash: nemesis.hash };
  const chain = Chain.open(join(folder, "chain.dat"), nemesis, writeFinalizationProof(round, [], keys), log);
  try {
    const { height: finalizedHeight } = chain.finalized;
    for (let height = 2; height <= chain.height; height += 1) {
      ledger.replay(decodeBlock(chain.block(height), network.identity));
      const isSettled = height === finalizedHeight || (height < finalizedHeight && height % SETTLE_INTERVAL === 0);
      if (isSettled) ledger.settle(height, chain.entry(height).timestamp);
    }
    return chain;
  } catch (error) {
    chain.close();
    throw error;
  }
}

interface Parts {
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly pool: TransactionPool;
  readonly announcer: Announcer;
  readonly finalizer: Finalizer;
  readonly harvester: Harvester;
  readonly network: DevnetNetwork;
  readonly keys: DevnetKeys;
  readonly events: Devnet["events"];
  readonly handlers: Devnet["handlers"];
  readonly server: PacketServer;
  readonly log: Logger;
}

class DevelopmentNode implements Devnet {
  readonly host: string;
  readonly port: number;
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { host, port } = parts.server.address();
    this.host = host;
    this.port = port;
  }

  get publicKey() {
    return this.#parts.keys.harvester.publicKey;
  }

  get network() {
    return this.#parts.network.identity;
  }

  get generationHashSeed() {
    return this.network.generationHashSeed;
  }

  get rules() {
    return this.#parts.network.rules;
  }

  get currencyMosaicId() {
    return this.#parts.network.currencyMosaicId;
  }

  get accounts() {
    const { users, harvester } = this.#parts.keys;
    return [...users, { name: "harvester", signer: harvester }].map(({ name, signer: { publicKey, privateKey } }) => {
      const address = addressOfPublicKey(publicKey, this.rules.networkIdentifier);
      return { name, address, publicKey, privateKey, balance: this.balanceOf(address) };
    });
  }

  get height() {
    return this.#parts.chain.height;
  }

  get finalized() {
    return this.#parts.chain.finalized;
  }

  get unconfirmedCount() {
    return this.#parts.pool.length;
  }

  get refusals() {
    return this.#parts.pool.refusals;
  }

  get events() {
    return this.#parts.events;
  }

  get handlers() {
    return this.#parts.handlers;
  }

  block(height: number) {
    return this.#parts.chain.entry(height);
  }

  balanceOf(address: Buffer) {
    return this.#parts.ledger.balanceOf(address);
  }

  isUnconfirmed(hash: Buffer) {
    return this.#parts.pool.has(hash);
  }

  async harvest(count = 1) {
    const blocks = [];
    for (let made = 0; made < count; made += 1) {
      // connections are served between two blocks
      if (made > 0) await setImmediate();
      this.#harvestOne();
      blocks.push(this.block(this.height));
    }
    return blocks;
  }

  announce(payload: Buffer) {
    const [result] = this.#parts.announcer.announce([payload]);
    if (!result) throw new Error("an announced transaction gave no result");
    return result;
  }

  fork({ from, blocks, transactions = [], keepTransactions = false }: ForkOptions) {
    this.#checkRunning();
    const plan = Array.from({ length: blocks }, (_, index) =>
      (transactions[index] ?? []).map((bytes) => this.#decode(bytes)),
    );
    if (keepTransactions) plan.at(-1)?.push(...this.#transactionsAbove(from));
    this.#parts.harvester.fork({ from, blocks: plan });
    this.#parts.finalizer.blockAdded();
    return plan.map((_, index) => this.block(from + index + 1));
  }

  finalize(height: number) {
    this.#parts.finalizer.finalize(height);
  }

  closeConnections() {
    this.#parts.server.closeConnections();
  }

  async stop() {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#parts.announcer.stop();
    await this.#parts.server.close();
    this.#parts.chain.close();
  }

  /** Makes a block every `blockMs` milliseconds from now on. */
  startHarvesting(blockMs: number): void {
    let next = performance.now() + blockMs;
    const tick = () => {
      try {
        this.#harvestOne();
      } catch (error) {
        this.#parts.log.error({ err: error }, "devnet: a block could not be made");
      }
      // late blocks are not made up for
      next = Math.max(next + blockMs, performance.now());
      this.#timer = setTimeout(tick, next - performance.now());
    };
    this.#timer = setTimeout(tick, blockMs);
  }

  #harvestOne(): void {
    this.#checkRunning();
    const { harvester, finalizer, chain, log } = this.#parts;
    harvester.harvest();
    finalizer.blockAdded();
    log.debug({ height: chain.height, finalizedHeight: chain.finalized.height }, "devnet: made a block");
  }

  #transactionsAbove(height: number): DevnetTransaction[] {
    const { chain, network } = this.#parts;
    const transactions: DevnetTransaction[] = [];
    for (let above = height + 1; above <= chain.height; above += 1)
      transactions.push(...decodeBlock(chain.block(above), network.identity).transactions.map(toDevnetTransaction));
    return transactions;
  }

  #decode(bytes: Buffer): DevnetTransaction {
    const { network } = this.#parts;
    const transaction = decodeDevnetTransaction(bytes, network.identity);
    const refusal = findRefusal(transaction, network);
    if (refusal) throw new RangeError(`transaction ${transaction.hash.toString("hex")}: ${refusal}`);
    return transaction;
  }

  #checkRunning(): void {
    if (this.#isStopped) throw new Error("the devnet is stopped");
  }
}
