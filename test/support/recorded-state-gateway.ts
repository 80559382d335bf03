import type { GatewayOptions } from "../../gateway/server.js";
import type { IndexedDatabase } from "./indexer-fixture.js";
import type { RecordedChain } from "./recorded-chain.js";
import { indexWhenRecorded, recordedStateNode } from "./recorded-index.js";
import { ServedGateway } from "./served-gateway.js";
import type { StateNode } from "./state-node.js";
import { startTestGateway } from "./test-gateway.js";

type StartArguments = [
  chain: RecordedChain,
  /** Of the gateway; they override those of a test. */
  settings?: Partial<GatewayOptions>,
];

/** The recorded chain with its state: a node that executes it, an index that follows it, a gateway over both. */
export class RecordedStateGateway extends ServedGateway {
  node!: StateNode;
  index!: IndexedDatabase;

  /** To be called by a test file or a `describe`: it is started before the tests, and closed after them. */
  static use(...args: StartArguments): RecordedStateGateway {
    const served = new RecordedStateGateway();
    return served.usedBy(() => served.#start(...args));
  }

  static async start(...args: StartArguments): Promise<RecordedStateGateway> {
    const served = new RecordedStateGateway();
    await served.#start(...args);
    return served;
  }

  async #start(...[chain, settings = {}]: StartArguments): Promise<void> {
    this.node = await recordedStateNode(chain);
    this.closers.push(() => this.node.close());
    this.index = await indexWhenRecorded(chain);
    this.closers.push(() => this.index.drop());
    await this.index.follow(this.node.address);
    await this.index.waitForWriter();
    this.gateway = await startTestGateway({ databaseUrl: this.index.url, nodes: [this.node.address], ...settings });
    this.closers.push(() => this.gateway.stop());
  }
}
