import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { BrokerSubscriber } from "../../catapult/wire/zmq.js";
import type { StatusMessage } from "../../catapult/wire/zmq-message.js";
import type { StoredBlock } from "../../devnet/chain/chain.js";
import { silentLog } from "../support/connection-fixtures.js";
import { freePort } from "../support/free-port.js";
import { type NodePlan, nodeKeyOf, writeNodeFolder } from "./node-folder.js";
import { ReferenceNode } from "./reference-node.js";
import { createWalkNemesis, type Funded } from "./walk-nemesis.js";
import type { WalkNetwork } from "./walk-network.js";

const HOST = "127.0.0.1";

/** A network with its running node, in a temporary folder. */
export class WalkedNetwork {
  readonly network: WalkNetwork;
  readonly nemesis: StoredBlock;
  readonly plan: NodePlan;
  readonly #programs: string;
  readonly #closers: (() => unknown)[] = [];
  #node: ReferenceNode;

  private constructor(network: WalkNetwork, nemesis: StoredBlock, plan: NodePlan, programs: string) {
    this.network = network;
    this.nemesis = nemesis;
    this.plan = plan;
    this.#programs = programs;
    this.#node = new ReferenceNode(programs, plan.folder);
  }

  /** Writes the folder of the node, starts it, and waits until it answers. */
  static async start(network: WalkNetwork, walkers: readonly Funded[], programs: string): Promise<WalkedNetwork> {
    const folder = await mkdtemp(join(tmpdir(), "symbol-gateway-walk-"));
    const [port, messagesPort] = [await freePort(), await freePort()];
    const mainPrivateKey = network.voter.privateKey;
    const credentials = createCredentials({ commonName: "walked node", mainPrivateKey });
    const plan = { folder, port, messagesPort, credentials };
    const nemesis = createWalkNemesis(network, walkers, nodeKeyOf(credentials));
    await writeNodeFolder(plan, network, nemesis, programs);
    const walked = new WalkedNetwork(network, nemesis, plan, programs);
    try {
      await walked.#waitUntilReady();
      return walked;
    } catch (error) {
      await walked.stop(true);
      throw error;
    }
  }

  /** Where the node listens. */
  get endpoint(): { readonly host: string; readonly port: number } {
    return { host: HOST, port: this.plan.port };
  }

  /** A connection with an identity of its own; it is closed with the network. */
  client(): NodeClient {
    const credentials = createCredentials({ commonName: "walker" });
    const reconnect = { initialMs: 100, maxMs: 500 };
    const client = new NodeClient({ nodes: [this.endpoint], credentials, log: silentLog, reconnect });
    this.#closers.push(() => client.close());
    return client;
  }

  /** Calls back for each transaction that the node rejects. */
  onStatus(onStatus: (message: StatusMessage) => void): void {
    const subscriber = new BrokerSubscriber({
      url: `tcp://${HOST}:${this.plan.messagesPort}`,
      log: silentLog,
      kinds: ["status"],
      onMessage: (message) => onStatus(message as StatusMessage),
    });
    this.#closers.push(() => subscriber.close());
  }

  /** Stops the node and starts it again: pending transactions are lost. */
  async restart(): Promise<void> {
    await this.#node.stop();
    this.#node = new ReferenceNode(this.#programs, this.plan.folder);
    await this.#waitUntilReady();
  }

  /** @throws Error if the node has ended */
  requireRunning(): void {
    this.#node.requireRunning();
  }

  /** @param isKept whether the folder is kept */
  async stop(isKept: boolean): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
    await this.#node.stop();
    if (!isKept) await rm(this.plan.folder, { recursive: true, force: true });
  }

  async #waitUntilReady(): Promise<void> {
    const client = this.client();
    await this.#node.waitUntil(() => client.chainStatistics());
  }
}
