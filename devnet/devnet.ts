import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import { loadOrCreateCredentials } from "../catapult/certificate/certificate.js";
import { addressOfPublicKey } from "../catapult/entity/address.js";
import { decodeBlock } from "../catapult/entity/block.js";
import type { NetworkIdentity } from "../catapult/entity/model.js";
import { balanceOf } from "../ledger/tables/accounts.js";
import type { DevnetAccount, DevnetOptions, ForkOptions } from "./api.js";
import type { ChainEntry } from "./chain/chain.js";
import type { FinalizedRound } from "./chain/finalization-proof.js";
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
import { DEFAULT_FINALIZATION, DEFAULT_RULES, type DevnetRules } from "./network/settings.js";
import { type AnnouncePartialResult, type AnnounceResult, Announcer } from "./pool/announcer.js";
import { createDevnetEvents, type DevnetEvents } from "./pool/events.js";
import { PartialTransactions } from "./pool/partial-transactions.js";
import type { Rejection } from "./pool/rejection.js";
import { Rejections } from "./pool/rejections.js";
import { findFailure } from "./pool/transaction-check.js";
import { TransactionPool } from "./pool/transaction-pool.js";
import { chainHandlers } from "./protocol/chain-handlers.js";
import { diagnosticHandlers } from "./protocol/diagnostic-handlers.js";
import { finalizationHandlers } from "./protocol/finalization-handlers.js";
import { type PacketHandler, PacketServer } from "./protocol/packet-server.js";
import { stateHandlers } from "./protocol/state-handlers.js";
import { transactionHandlers } from "./protocol/transaction-handlers.js";
import { ZeromqPublisher } from "./protocol/zeromq-publisher.js";

export type { DevnetAccount, DevnetOptions } from "./api.js";

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
        network: network.identity,
        publicKey: keys.harvester.publicKey,
        friendlyName: NODE_NAME,
        endpoint: () => server.address(),
        harvesters: [keys.remote.publicKey],
        now,
      }),
    ]);
    const server = await PacketServer.listen({ ...(host && { host }), port, credentials, log, handlers });
    const node = new Devnet({ ...parts, publisher, handlers, server, log, dataDirectory });
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
  readonly handlers: Map<number, PacketHandler>;
  readonly server: PacketServer;
  readonly log: Logger;
  readonly dataDirectory: string;
}

/** A running development node. */
export class Devnet {
  readonly host: string;
  readonly port: number;
  /** Endpoint of the ZeroMQ publisher, such as `tcp://127.0.0.1:7902`; undefined if there is none. */
  readonly zmqEndpoint: string | undefined;
  /** Main public key of the node, 32 bytes. */
  readonly publicKey: Buffer;
  readonly network: NetworkIdentity;
  readonly generationHashSeed: Buffer;
  readonly rules: DevnetRules;
  readonly currencyMosaicId: bigint;
  /** Folder of the `config-*.properties` that describe the network and the node. */
  readonly resourcesDirectory: string;
  readonly events: DevnetEvents;
  /** Handlers by packet type; a test may replace them. */
  readonly handlers: Map<number, PacketHandler>;
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { host, port } = parts.server.address();
    this.host = host;
    this.port = port;
    this.zmqEndpoint = parts.publisher?.endpoint;
    this.publicKey = parts.keys.harvester.publicKey;
    this.network = parts.network.identity;
    this.generationHashSeed = this.network.generationHashSeed;
    this.rules = parts.network.rules;
    this.currencyMosaicId = parts.network.currencyMosaicId;
    this.resourcesDirectory = join(parts.dataDirectory, "resources");
    this.events = parts.events;
    this.handlers = parts.handlers;
  }

  /** Number of topics that clients of the publisher subscribe to, each as often as there are such clients. */
  get zmqSubscriptions(): number {
    return this.#parts.publisher?.subscriptions ?? 0;
  }

  /** Funded accounts, the harvester last. */
  get accounts(): readonly DevnetAccount[] {
    const { keys } = this.#parts;
    const signers = [...(this.rules.firstBalances ? reserveSigners(keys) : []), ...fundedSigners(keys)];
    return signers.map(({ name, signer: { publicKey, privateKey } }) => {
      const address = addressOfPublicKey(publicKey, this.rules.networkIdentifier);
      return { name, address, publicKey, privateKey, balance: this.balanceOf(address) };
    });
  }

  get height(): number {
    return this.#parts.chain.height;
  }

  get finalized(): FinalizedRound {
    return this.#parts.chain.finalized;
  }

  /** Number of unconfirmed transactions. */
  get unconfirmedCount(): number {
    return this.#parts.pool.length;
  }

  /** Number of partial aggregates. */
  get partialCount(): number {
    return this.#parts.partials.length;
  }

  /** The last rejections, the oldest first. */
  get rejections(): readonly Rejection[] {
    return this.#parts.rejections.last;
  }

  /** The block at a height; throws RangeError if there is none. */
  block(height: number): ChainEntry {
    return this.#parts.chain.entry(height);
  }

  /** Atomic units that an address owns, of the currency or another mosaic. */
  balanceOf(address: Buffer, mosaicId = this.currencyMosaicId): bigint {
    const account = this.#parts.state.tables.accounts.get(address);
    return account ? balanceOf(account, mosaicId) : 0n;
  }

  isUnconfirmed(hash: Buffer): boolean {
    return this.#parts.pool.has(hash);
  }

  isPartial(hash: Buffer): boolean {
    return this.#parts.partials.has(hash);
  }

  /** Whether a transaction is in a block; reliable only until its deadline has passed. */
  isConfirmed(hash: Buffer): boolean {
    return this.#parts.state.isConfirmed(hash);
  }

  /** Creates blocks (default 1) immediately, with the unconfirmed transactions. */
  async harvest(count = 1): Promise<ChainEntry[]> {
    const blocks: ChainEntry[] = [];
    for (let made = 0; made < count; made += 1) {
      // connections are served between two blocks
      if (made > 0) await setImmediate();
      this.#harvestOne();
      blocks.push(this.block(this.height));
    }
    return blocks;
  }

  /** Processes a transaction as if a peer had pushed it. Throws `EntityError` for bytes that are not a transaction. */
  announce(payload: Buffer): AnnounceResult {
    const [result] = this.#parts.announcer.announce([payload]);
    if (!result) throw new Error("an announced transaction gave no result");
    return result;
  }

  /**
   * Processes a bonded aggregate as if a peer had pushed it as partial. Throws `EntityError` for bytes that are not a
   * transaction.
   */
  announcePartial(payload: Buffer): AnnouncePartialResult {
    const [result] = this.#parts.announcer.announcePartials([payload]);
    if (!result) throw new Error("an announced aggregate gave no result");
    return result;
  }

  /** Processes a detached cosignature (136 bytes) as if a peer had pushed it. */
  announceCosignature(payload: Buffer): void {
    this.#parts.announcer.pushCosignatures(payload);
  }

  /**
   * Switches to a new branch immediately. Throws RangeError if that is not possible, `BlockExecutionError` for
   * invalid transactions.
   */
  fork({ from, blocks, transactions = [], keepTransactions = false }: ForkOptions): ChainEntry[] {
    this.#checkRunning();
    const plan = Array.from({ length: blocks }, (_, index) =>
      (transactions[index] ?? []).map((bytes) => this.#decode(bytes)),
    );
    if (keepTransactions) plan.at(-1)?.push(...this.#transactionsAbove(from));
    this.#parts.harvester.fork({ from, blocks: plan });
    this.#parts.finalizer.blockAdded();
    return plan.map((_, index) => this.block(from + index + 1));
  }

  /**
   * Finalizes all blocks up to a height. Throws RangeError if there is no such block, `FinalizationProofError` if other
   * accounts have too many votes for those of the harvester to be enough.
   */
  finalize(height: number): void {
    this.#parts.finalizer.finalize(height);
  }

  /** Closes all connections; new ones are accepted. */
  closeConnections(): void {
    this.#parts.server.closeConnections();
  }

  /** Stops harvesting and listening, and closes the files. */
  async stop(): Promise<void> {
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
      const now = performance.now();
      next = Math.max(next + blockMs, now);
      this.#timer = setTimeout(tick, next - now);
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
