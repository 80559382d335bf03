import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { TestGateway, type TestGatewayOptions } from "./websocket-fixture.js";

/** What the test files of channels share: a database, who writes events into it, and gateways of each test. */
export class MessageScene {
  #database: TestDatabase | undefined;
  #writer: EventWriter | undefined;
  readonly #gateways: TestGateway[] = [];

  /** A scene of this test file. @param keepsEvents whether a test finds the events of those before it */
  static ofFile({ keepsEvents = false } = {}): MessageScene {
    const scene = new MessageScene();
    beforeAll(async () => {
      scene.#database = await createMigratedDatabase();
      scene.#writer = new EventWriter(scene.#database.url);
      await scene.#writer.begin();
    });
    if (!keepsEvents) beforeEach(() => scene.writer.clear());
    afterEach(async () => {
      await Promise.all(scene.#gateways.splice(0).map((gateway) => gateway.close()));
    });
    afterAll(async () => {
      await scene.#writer?.close();
      await scene.#database?.drop();
    });
    return scene;
  }

  get writer(): EventWriter {
    return this.#writer as EventWriter;
  }

  get databaseUrl(): string {
    return (this.#database as TestDatabase).url;
  }

  /** Stops a gateway before the end of the test. */
  async stop(gateway: TestGateway): Promise<void> {
    this.#gateways.splice(this.#gateways.indexOf(gateway), 1);
    await gateway.close();
  }

  /** A gateway until the end of the test. */
  async start(options: Omit<TestGatewayOptions, "databaseUrl"> = {}): Promise<TestGateway> {
    const gateway = await TestGateway.start({ databaseUrl: this.databaseUrl, ...options });
    this.#gateways.push(gateway);
    return gateway;
  }
}
