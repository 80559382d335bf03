import type { DevnetOptions } from "../../devnet/devnet.js";
import type { Gateway, GatewayOptions } from "../../gateway/server.js";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { DevnetFixture } from "./devnet.js";
import { devnetExecution } from "./devnet-execution.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import { startTestGateway } from "./test-gateway.js";
import { until } from "./until.js";

export interface RestStackOptions {
  readonly devnet?: Partial<DevnetOptions>;
  readonly indexer?: (devnet: DevnetFixture) => Partial<IndexerOptions>;
  readonly gateway?: Partial<GatewayOptions>;
  /** Sets up the devnet before it is indexed. */
  readonly populate?: (devnet: DevnetFixture) => Promise<unknown>;
  /** Whether the indexer subscribes to the devnet's broker, and so receives rejections; default false. */
  readonly followsBroker?: boolean;
  /** Whether the indexer executes blocks, so that transactions can be tried; default false. */
  readonly executes?: boolean;
}

/** A devnet that creates blocks on request, an indexer that follows it, and a gateway that serves the index. */
export class RestStack {
  readonly node: DevnetFixture;
  readonly index: IndexedDatabase;
  readonly #gateway: Gateway;

  private constructor(node: DevnetFixture, index: IndexedDatabase, gateway: Gateway) {
    this.node = node;
    this.index = index;
    this.#gateway = gateway;
  }

  static async start(options: RestStackOptions = {}): Promise<RestStack> {
    const node = await DevnetFixture.start({ ...(options.followsBroker && { zmqPort: 0 }), ...options.devnet });
    await options.populate?.(node);
    const index = await IndexedDatabase.create();
    const execution = options.executes && { execution: await devnetExecution(node.devnet) };
    await index.follow(node.devnet, { zmqUrl: node.devnet.zmqEndpoint, ...execution, ...options.indexer?.(node) });
    if (options.followsBroker) await node.hasSubscriber();
    const gateway = await startTestGateway({
      databaseUrl: index.url,
      databasePoolSize: 4,
      nodes: [node.devnet],
      resourcesDirectory: node.devnet.resourcesDirectory,
      ...options.gateway,
    });
    const stack = new RestStack(node, index, gateway);
    await stack.caughtUp();
    return stack;
  }

  /** Without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.#gateway.port}`;
  }

  /** Waits until the index has the node's head and its state, and the gateway keeps no answer from before it. */
  async caughtUp(): Promise<void> {
    const { devnet } = this.node;
    const { eventSequence } = await this.index.waitForHash(devnet.block(devnet.height).hash);
    const metrics = async () => (await fetch(`${this.url}/metrics`)).text();
    const delivered = async () => Number(/^symbol_gateway_event_sequence (\d+)$/m.exec(await metrics())?.[1]);
    await until(async () => (await delivered()) >= eventSequence, "the gateway has the newest event");
  }

  /** Creates a block, and waits until it is indexed. */
  async harvest(): Promise<void> {
    await this.node.devnet.harvest(1);
    await this.caughtUp();
  }

  async stop(): Promise<void> {
    await this.#gateway.stop();
    await this.index.drop();
    await this.node.stop();
  }
}
