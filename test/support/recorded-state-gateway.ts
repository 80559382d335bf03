import type { Gateway, GatewayOptions } from "../../gateway/server.js";
import type { IndexedDatabase } from "./indexer-fixture.js";
import type { RecordedChain } from "./recorded-chain.js";
import { indexWhenRecorded, recordedStateNode } from "./recorded-index.js";
import type { StateNode } from "./state-node.js";
import { startTestGateway } from "./test-gateway.js";

/** The recorded chain with its state: a node that executes it, an index that follows it, a gateway over both. */
export class RecordedStateGateway {
  readonly node: StateNode;
  readonly index: IndexedDatabase;
  readonly gateway: Gateway;

  private constructor(node: StateNode, index: IndexedDatabase, gateway: Gateway) {
    this.node = node;
    this.index = index;
    this.gateway = gateway;
  }

  /** @param settings of the gateway that override those of a test */
  static async start(chain: RecordedChain, settings: Partial<GatewayOptions> = {}): Promise<RecordedStateGateway> {
    const node = await recordedStateNode(chain);
    const index = await indexWhenRecorded(chain);
    await index.follow(node.address);
    await index.waitForWriter();
    const gateway = await startTestGateway({
      databaseUrl: index.url,
      nodes: [node.address],
      ...settings,
    });
    return new RecordedStateGateway(node, index, gateway);
  }

  /** Without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.gateway.port}`;
  }

  /** The response to a GraphQL operation. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
  async ask(query: string, variables: object = {}): Promise<any> {
    const response = await fetch(`${this.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    });
    return response.json();
  }

  async close(): Promise<void> {
    await this.gateway.stop();
    await this.index.drop();
    await this.node.close();
  }
}
