import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import { loadOrCreateCredentials } from "../catapult/certificate/certificate.js";
import { addressOfPublicKey } from "../catapult/entity/address.js";
import { decodeBlock } from "../catapult/entity/block.js";
import { balanceOf } from "../ledger/state/accounts.js";
import type { Devnet, DevnetOptions, ForkOptions } from "./api.js";
import { openStoredChain, type StoredChain } from "./chain/stored-chain.js";
import type { DevnetTransaction } from "./chain/transaction.js";
import { decodeDevnetTransaction, toDevnetTransaction } from "./chain/transaction.js";
import { Finalizer } from "./harvest/finalizer.js";
import { Harvester } from "./harvest/harvester.js";
import type { DevnetKeys } from "./network/keys.js";
import { deriveDevnetKeys, fundedSigners, reserveSigners } from "./network/keys.js";
import type { DevnetNetwork } from "./network/network.js";
import { createNetwork } from "./network/network.js";
import { writeResources } from "./network/resources.js";
import { DEFAULT_FINALIZATION, DEFAULT_RULES } from "./network/settings.js";
import { Announcer } from "./pool/announcer.js";
import { createDevnetEvents } from "./pool/events.js";
import { PartialTransactions } from "./pool/partial-transactions.js";
import { Rejections } from "./pool/rejections.js";
import { findFailure } from "./pool/transaction-check.js";
import { TransactionPool } from "./pool/transaction-pool.js";
import { chainHandlers } from "./protocol/chain-handlers.js";
import { diagnosticHandlers } from "./protocol/diagnostic-handlers.js";
import { finalizationHandlers } from "./protocol/finalization-handlers.js";
import { PacketServer } from "./protocol/packet-server.js";
import { stateHandlers } from "./protocol/state-handlers.js";
import { transactionHandlers } from "./protocol/transaction-handlers.js";
import { ZeromqPublisher } from "./protocol/zeromq-publisher.js";

export type { Devnet, DevnetAccount, DevnetOptions, ForkOptions } from "./api.js";
export type { AnnouncePartialResult, AnnounceResult } from "./pool/announcer.js";

const DEFAULT_SEED = "development";
const NODE_NAME = "devnet";
/** As on a real node. */
const DEFAULT_GATHER_MS = 500;

/**
 * Starts a development node: opens or creates its chain, listens, and (if configured) creates blocks. Throws
 * `ChainFileError` if the folder has the chain of another seed or of other rules, and the system's error if a port is
 * taken.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { log, dataDirectory, host, port } = options;
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
  const stored = openStoredChain(dataDirectory, network, keys, log);
  const { chain, state } = stored;
  const parts = assembleParts(options, { ...stored, network, keys, now });
  let publisher: ZeromqPublisher | undefined;
  try {
    if (options.zmqPort !== undefined)
      publisher = await ZeromqPublisher.bind({ host, port: options.zmqPort, events: parts.events, log });
    const handlers = new Map([
      ...chainHandlers(chain, rules),
      ...transactionHandlers(parts.announcer, parts.pool, parts.partials),
      ...finalizationHandlers(chain, parts.finalizer),
      ...stateHandlers(state),
      ...diagnosticHandlers({
        ...parts,
        network: network.identity,
        publicKey: keys.harvester.publicKey,
        friendlyName: NODE_NAME,
        endpoint: () => server.address(),
        harvesters: [keys.remote.publicKey],
        now,
      }),
    ]);
    const server = await PacketServer.listen({ ...(host && { host }), port, credentials, log, handlers });
    const node = new DevelopmentNode({ ...parts, publisher, handlers, server, log, dataDirectory });
    await writeResources(node.resourcesDirectory, network, { ...server.address(), friendlyName: NODE_NAME });
    if (options.autoHarvest ?? true) node.startHarvesting(blockMs);
    log.info({ ...server.address(), zmq: publisher?.endpoint, height: chain.height }, "devnet: listening");
    return node;
  } catch (error) {
    await publisher?.close();
    chain.close();
    throw error;
  }
}

interface Foundation extends StoredChain {
  readonly network: DevnetNetwork;
  readonly keys: DevnetKeys;
  /** Milliseconds since the network's epoch. */
  readonly now: () => number;
}

/** Creates the parts that process transactions, create blocks and finalize them. */
function assembleParts(options: DevnetOptions, foundation: Foundation) {
  const { log } = options;
  const { chain, state, votingSets, network, keys, now } = foundation;
  const { rules, identity } = network;
  const events = createDevnetEvents();
  const rejections = new Rejections(events, log);
  const pool = new TransactionPool({ state, rules, now, events, rejections, log });
  const complete = (aggregate: Buffer) => announcer.pushComplete(aggregate);
  const partials = new PartialTransactions({ state, rules, network: identity, now, events, rejections, complete });
  const announcer = new Announcer({
    ...{ state, network: identity, pool, partials, rejections, now, log },
    gatherMs: options.gatherMs ?? DEFAULT_GATHER_MS,
    recentMs: rules.shortLivedCacheTransactionDuration,
  });
  const finalization = { ...DEFAULT_FINALIZATION, ...options.finalization };
  const finalizer = new Finalizer({ chain, keys, votingSets, config: network.config, finalization, events, log });
  const harvester = new Harvester({ chain, state, votingSets, pool, partials, network, keys, now, events });
  events.on("finalizedBlock", ({ height }) => state.finalize(height, chain.entry(height).timestamp, 0));
  return { ...foundation, events, rejections, pool, partials, announcer, finalizer, harvester };
}

interface Parts extends ReturnType<typeof assembleParts> {
  readonly publisher: ZeromqPublisher | undefined;
  readonly handlers: Devnet["handlers"];
  readonly server: PacketServer;
  readonly log: Logger;
  readonly dataDirectory: string;
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

  get zmqEndpoint() {
    return this.#parts.publisher?.endpoint;
  }

  get zmqSubscriptions() {
    return this.#parts.publisher?.subscriptions ?? 0;
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

  get resourcesDirectory() {
    return join(this.#parts.dataDirectory, "resources");
  }

  get accounts() {
    const { keys } = this.#parts;
    const signers = [...(this.rules.firstBalances ? reserveSigners(keys) : []), ...fundedSigners(keys)];
    return signers.map(({ name, signer: { publicKey, privateKey } }) => {
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

  get partialCount() {
    return this.#parts.partials.length;
  }

  get rejections() {
    return this.#parts.rejections.last;
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

  balanceOf(address: Buffer, mosaicId = this.currencyMosaicId) {
    const account = this.#parts.state.tables.accounts.get(address);
    return account ? balanceOf(account, mosaicId) : 0n;
  }

  isUnconfirmed(hash: Buffer) {
    return this.#parts.pool.has(hash);
  }

  isPartial(hash: Buffer) {
    return this.#parts.partials.has(hash);
  }

  isConfirmed(hash: Buffer) {
    return this.#parts.state.isConfirmed(hash);
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

  announcePartial(payload: Buffer) {
    const [result] = this.#parts.announcer.announcePartials([payload]);
    if (!result) throw new Error("an announced aggregate gave no result");
    return result;
  }

  announceCosignature(payload: Buffer) {
    this.#parts.announcer.pushCosignatures(payload);
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
    await this.#parts.publisher?.close();
    this.#parts.chain.close();
  }

  /** Creates a block every `blockMs` milliseconds from now on. */
  startHarvesting(blockMs: number): void {
    let next = performance.now() + blockMs;
    const tick = () => {
      try {
        this.#harvestOne();
      } catch (error) {
        this.#parts.log.error({ err: error }, "devnet: block creation failed");
      }
      // late blocks are skipped
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
    log.debug({ height: chain.height, finalizedHeight: chain.finalized.height }, "devnet: created a block");
  }

  #transactionsAbove(height: number): DevnetTransaction[] {
    const { chain, network } = this.#parts;
    const transactions: DevnetTransaction[] = [];
    for (let above = height + 1; above <= chain.height; above += 1)
      transactions.push(...decodeBlock(chain.block(above), network.identity).transactions.map(toDevnetTransaction));
    return transactions;
  }

  #decode(bytes: Buffer): DevnetTransaction {
    const { network, state } = this.#parts;
    const transaction = decodeDevnetTransaction(bytes, network.identity);
    const failure = findFailure(transaction, state, network.identity);
    if (failure) throw new RangeError(`transaction ${transaction.hash.toString("hex")}: ${failure}`);
    return transaction;
  }

  #checkRunning(): void {
    if (this.#isStopped) throw new Error("the devnet is stopped");
  }
}
