import type { Gateway, GatewayOptions } from "../../gateway/server.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";
import { recordedConfig, recordedStateOptions, StateNode } from "./state-node.js";
import { startTestGateway } from "./test-gateway.js";

/** What the last recorded block found finalized: what ended above it was not forgotten before the recording. */
const FINALIZED = { epoch: 16, point: 13, height: 588 };

/** The recorded chain with its state: a node that executes it, an index that followed the node, a gateway over both. */
export class RecordedStateGateway {
  readonly node: StateNode;
  readonly index: IndexedDatabase;
  readonly gateway: Gateway;

  private constructor(node: StateNode, index: IndexedDatabase, gateway: Gateway) {
    this.node = node;
    this.index = index;
    this.gateway = gateway;
  }

  /** @param settings of the gateway that differ from a test's own */
  static async start(chain: RecordedChain, settings: Partial<GatewayOptions> = {}): Promise<RecordedStateGateway> {
    const { blocks } = recordedNode(chain);
    const node = await StateNode.start(chain, blocks.slice(0, -1));
    node.finalize(FINALIZED);
    node.switchTo(blocks);
    const index = await IndexedDatabase.create();
    await index.follow(node.address, { state: recordedStateOptions(recordedConfig(chain)) });
    await index.waitForState(node.node.hashAt(node.node.height));
    await index.waitFor((head) => head.finalization.height === FINALIZED.height);
    const gateway = await startTestGateway({
      databaseUrl: index.url,
      nodes: [node.address],
      ...settings,
    });
    return new RecordedStateGateway(node, index, gateway);
  }

  /** Without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${this.gateway.port}`;
  }

  async close(): Promise<void> {
    await this.gateway.stop();
    await this.index.drop();
    await this.node.close();
  }
}
