import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { BrokerSubscriber } from "../../catapult/wire/zmq.js";
import type { StatusMessage } from "../../catapult/wire/zmq-message.js";
import { silentLog } from "../support/connection-fixtures.js";
import { freePort } from "../support/free-port.js";
import { type NodePlan, nodeKeyOf, writeNodeFolder } from "./node-folder.js";
import { NodeLinks } from "./node-links.js";
import { ReferenceNode } from "./reference-node.js";
import { createWalkNemesis, type Funded, type WalkNemesis } from "./walk-nemesis.js";
import type { VotingParty, WalkNetwork } from "./walk-network.js";

const HOST = "127.0.0.1";

/** A network with its running nodes, in a temporary folder. */
export class WalkedNetwork {
  readonly network: WalkNetwork;
  readonly nemesis: WalkNemesis;
  /** In the order of the network's voters. */
  readonly nodes: readonly WalkedNode[];
  /** By which the nodes find each other. */
  readonly links: NodeLinks;
  readonly folder: string;

  private constructor(
    network: WalkNetwork,
    nemesis: WalkNemesis,
    nodes: readonly WalkedNode[],
    links: NodeLinks,
    folder: string,
  ) {
    this.network = network;
    this.nemesis = nemesis;
    this.nodes = nodes;
    this.links = links;
    this.folder = folder;
  }

  /** Writes the folders of the nodes, one for each voter; starts them, and waits until they answer. */
  static async start(network: WalkNetwork, walkers: readonly Funded[], programs: string): Promise<WalkedNetwork> {
    const folder = await mkdtemp(join(tmpdir(), "symbol-gateway-walk-"));
    const plans: NodePlan[] = [];
    for (const [index, voter] of network.voters.entries()) plans.push(await planNode(folder, index, voter));
    const nemesis = createWalkNemesis(
      network,
      walkers,
      plans.map(({ credentials }) => nodeKeyOf(credentials)),
    );
    const links = await NodeLinks.open(plans.map(({ port }) => port));
    for (const plan of plans) {
      const peers = network.voters.flatMap(({ account: { publicKey } }, index) =>
        index === plan.index ? [] : [{ publicKey, port: links.port(plan.index, index) }],
      );
      await writeNodeFolder(plan, network, nemesis, programs, peers);
    }
    const nodes = plans.map((plan) => new WalkedNode(plan, programs));
    const walked = new WalkedNetwork(network, nemesis, nodes, links, folder);
    try {
      for (const node of nodes) await node.waitUntilReady();
      return walked;
    } catch (error) {
      await walked.stop(true);
      throw error;
    }
  }

  /** @param isKept whether the folder is kept */
  async stop(isKept: boolean): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.links.close();
    if (!isKept) await rm(this.folder, { recursive: true, force: true });
  }
}

/** A running node of a network. */
export class WalkedNode {
  readonly #plan: NodePlan;
  readonly #programs: string;
  readonly #closers: (() => unknown)[] = [];
  #node: ReferenceNode;

  /** Starts the node. @param programs folder of the reference's programs */
  constructor(plan: NodePlan, programs: string) {
    this.#plan = plan;
    this.#programs = programs;
    this.#node = new ReferenceNode(programs, plan.folder);
  }

  /** Where the node listens. */
  get endpoint(): { readonly host: string; readonly port: number } {
    return { host: HOST, port: this.#plan.port };
  }

  /** What its files and its identity are. */
  get plan(): NodePlan {
    return this.#plan;
  }

  /** A connection with an identity of its own; it is closed with the node. */
  client(): NodeClient {
    const credentials = createCredentials({ commonName: "walker" });
    const reconnect = { initialMs: 100, maxMs: 500 };
    const client = new NodeClient({ nodes: [this.endpoint], credentials, log: silentLog, reconnect, repeatLost: true });
    this.#closers.push(() => client.close());
    return client;
  }

  /** Calls back for each transaction that the node rejects. */
  onStatus(onStatus: (message: StatusMessage) => void): void {
    const subscriber = new BrokerSubscriber({
      url: `tcp://${HOST}:${this.#plan.messagesPort}`,
      log: silentLog,
      kinds: ["status"],
      onMessage: (message) => onStatus(message as StatusMessage),
    });
    this.#closers.push(() => subscriber.close());
  }

  /**
   * Stops the node and starts it again: pending transactions are lost.
   *
   * @param whileStopped changes its files
   */
  async restart(whileStopped: () => Promise<unknown> | unknown = () => undefined): Promise<void> {
    await this.#node.stop();
    await whileStopped();
    this.#node = new ReferenceNode(this.#programs, this.#plan.folder);
    await this.waitUntilReady();
  }

  /** Waits until it answers. @throws Error if it has ended, or does not within a minute */
  async waitUntilReady(): Promise<void> {
    const client = this.client();
    await this.#node.waitUntil(() => client.chainStatistics());
  }

  /** @throws Error if the node has ended */
  requireRunning(): void {
    this.#node.requireRunning();
  }

  async stop(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
    await this.#node.stop();
  }
}

async function planNode(folder: string, index: number, { account }: VotingParty): Promise<NodePlan> {
  const credentials = createCredentials({ commonName: "walked node", mainPrivateKey: account.privateKey });
  const [port, messagesPort] = [await freePort(), await freePort()];
  return { index, folder: join(folder, `node${index}`), port, messagesPort, credentials };
}
