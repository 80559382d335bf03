import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { BrokerSubscriber } from "../../catapult/wire/zmq.js";
import type { StatusMessage } from "../../catapult/wire/zmq-message.js";
import type { StoredBlock } from "../../devnet/chain/chain.js";
import { silentLog } from "../support/connection-fixtures.js";
import { type NodePlan, nodeCredentials, nodeKeyOf, writeNodeFolder } from "./node-folder.js";
import { freePorts, ReferenceNode } from "./reference-node.js";
import { createWalkNemesis, type Funded } from "./walk-nemesis.js";
import type { WalkNetwork } from "./walk-network.js";

/** The running nodes of a network, all in one temporary folder. */
export class WalkedNetwork {
  readonly network: WalkNetwork;
  readonly folder: string;
  readonly nemesis: StoredBlock;
  readonly plans: readonly NodePlan[];
  readonly #programs: string;
  #nodes: ReferenceNode[];
  readonly #closers: (() => unknown)[] = [];

  private constructor(network: WalkNetwork, folder: string, nemesis: StoredBlock, plans: NodePlan[], programs: string) {
    this.network = network;
    this.folder = folder;
    this.nemesis = nemesis;
    this.plans = plans;
    this.#programs = programs;
    this.#nodes = plans.map((plan) => new ReferenceNode(programs, plan.folder));
  }

  /** Writes the folders of the nodes, starts them, and waits until they answer. */
  static async start(network: WalkNetwork, walkers: readonly Funded[], programs: string): Promise<WalkedNetwork> {
    const folder = await mkdtemp(join(tmpdir(), "symbol-gateway-walk-"));
    const ports = await freePorts(2 * network.voters.length);
    const plans = network.voters.map((voter, index) => ({
      name: `node${index}`,
      folder: join(folder, `node${index}`),
      port: ports[2 * index]!,
      messagesPort: ports[2 * index + 1]!,
      voter,
      harvesters: network.harvesters.filter((_, place) => place % network.voters.length === index),
      beneficiary: index > 0 ? network.party("beneficiary") : undefined,
      credentials: nodeCredentials(`node${index}`, voter.account),
    }));
    const nodeKeys = plans.map(({ credentials }) => nodeKeyOf(credentials));
    const nemesis = createWalkNemesis(network, walkers, nodeKeys);
    for (const plan of plans) {
      const peers = plans.filter((peer) => peer !== plan);
      await writeNodeFolder(plan, peers, network, nemesis, programs);
    }
    const walked = new WalkedNetwork(network, folder, nemesis, plans, programs);
    try {
      await walked.#waitUntilReady();
      return walked;
    } catch (error) {
      await walked.stop(false);
      throw error;
    }
  }

  /** Where the first node listens. */
  get endpoint(): { readonly host: string; readonly port: number } {
    return { host: "127.0.0.1", port: this.plans[0]!.port };
  }

  /** A connection to a node with an identity of its own; it is closed with the network. */
  client(index: number): NodeClient {
    const nodes = [{ host: "127.0.0.1", port: this.plans[index]!.port }];
    const credentials = createCredentials({ commonName: "walker" });
    const client = new NodeClient({ nodes, credentials, log: silentLog, reconnect: { initialMs: 100, maxMs: 500 } });
    this.#closers.push(() => client.close());
    return client;
  }

  /** Calls back for each transaction that the first node rejects. */
  onStatus(onStatus: (message: StatusMessage) => void): void {
    const subscriber = new BrokerSubscriber({
      url: `tcp://127.0.0.1:${this.plans[0]!.messagesPort}`,
      log: silentLog,
      kinds: ["status"],
      onMessage: (message) => onStatus(message as StatusMessage),
    });
    this.#closers.push(() => subscriber.close());
  }

  /** Stops all nodes and starts them again: pending transactions are lost. */
  async restart(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop()));
    this.#nodes = this.plans.map((plan) => new ReferenceNode(this.#programs, plan.folder));
    await this.#waitUntilReady();
  }

  async #waitUntilReady(): Promise<void> {
    for (const [index, node] of this.#nodes.entries()) {
      const client = this.client(index);
      await node.waitUntil(() => client.chainStatistics());
    }
  }

  /** @throws Error if a node has ended */
  requireRunning(): void {
    for (const node of this.#nodes) node.requireRunning();
  }

  /** Stops the nodes. @param isKept whether their folder is kept */
  async stop(isKept: boolean): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
    await Promise.all(this.#nodes.map((node) => node.stop()));
    if (!isKept) await rm(this.folder, { recursive: true, force: true });
  }
}
