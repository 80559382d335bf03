import type { DevnetOptions } from "../../devnet/devnet.js";
import type { GatewayOptions } from "../../gateway/server.js";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { DevnetFixture } from "./devnet.js";
import { devnetExecution } from "./devnet-execution.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import { ServedGateway } from "./served-gateway.js";
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
export class RestStack extends ServedGateway {
  node!: DevnetFixture;
  index!: IndexedDatabase;

  /** To be called by a test file or a `describe`: it is started before the tests, and stopped after them. */
  static use(options?: RestStackOptions): RestStack {
    const stack = new RestStack();
    return stack.usedBy(() => stack.#start(options));
  }

  static async start(options?: RestStackOptions): Promise<RestStack> {
    const stack = new RestStack();
    await stack.#start(options);
    return stack;
  }

  async #start(options: RestStackOptions = {}): Promise<void> {
    this.node = await DevnetFixture.start({ ...(options.followsBroker && { zmqPort: 0 }), ...options.devnet });
    this.closers.push(() => this.node.stop());
    const { devnet } = this.node;
    await options.populate?.(this.node);
    this.index = await IndexedDatabase.create();
    this.closers.push(() => this.index.drop());
    const execution = options.executes && { execution: await devnetExecution(devnet) };
    await this.index.follow(devnet, { zmqUrl: devnet.zmqEndpoint, ...execution, ...options.indexer?.(this.node) });
    if (options.followsBroker) await this.node.hasSubscriber();
    this.gateway = await startTestGateway({
      databaseUrl: this.index.url,
      databasePoolSize: 4,
      nodes: [devnet],
      resourcesDirectory: devnet.resourcesDirectory,
      ...options.gateway,
    });
    this.closers.push(() => this.gateway.stop());
    await this.caughtUp();
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

  stop(): Promise<void> {
    return this.close();
  }
}
