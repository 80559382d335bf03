import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { TestGateway, type TestGatewayOptions } from "./websocket-fixture.js";

/** A database for all tests of a file, a writer of its events, and the gateways over it. */
export class MessageScene {
  writer!: EventWriter;
  #database!: TestDatabase;
  #gateways: TestGateway[] = [];

  /** To be called by a test file: each of its tests begins without events, and its gateways are closed after it. */
  static use(): MessageScene {
    const scene = new MessageScene();
    beforeAll(async () => {
      scene.#database = await createMigratedDatabase();
      scene.writer = new EventWriter(scene.#database.url);
      await scene.writer.begin();
    });
    beforeEach(() => scene.writer.clear());
    afterEach(async () => {
      await Promise.all(scene.#gateways.splice(0).map((gateway) => gateway.close()));
    });
    afterAll(async () => {
      await scene.writer?.close();
      await scene.#database?.drop();
    });
    return scene;
  }

  async start(options: Omit<TestGatewayOptions, "databaseUrl"> = {}): Promise<TestGateway> {
    const gateway = await TestGateway.start({ databaseUrl: this.#database.url, ...options });
    this.#gateways.push(gateway);
    return gateway;
  }

  async stop(gateway: TestGateway): Promise<void> {
    this.#gateways = this.#gateways.filter((other) => other !== gateway);
    await gateway.close();
  }
}
