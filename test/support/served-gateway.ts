import { afterAll, beforeAll } from "@jest/globals";
import type { Gateway } from "../../gateway/server.js";
import { request, sendJson, type TestAnswer } from "./rest-client.js";

/** A gateway with all that it needs, and requests to it. */
export abstract class ServedGateway {
  gateway!: Gateway;
  /** What is closed with it, the latest first. */
  protected readonly closers: (() => unknown)[] = [];

  /** Without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.gateway.port}`;
  }

  /** The same for WebSockets. */
  get socketUrl(): string {
    return `ws://127.0.0.1:${this.gateway.port}`;
  }

  get(path: string, init?: RequestInit): Promise<TestAnswer> {
    return request(this.url + path, init);
  }

  /** Sends JSON, or a text as it is. */
  send(method: "POST" | "PUT", path: string, body: unknown, headers?: object): Promise<TestAnswer> {
    return sendJson(method, this.url + path, body, headers);
  }

  post(path: string, body: unknown, headers?: object): Promise<TestAnswer> {
    return this.send("POST", path, body, headers);
  }

  /** The response to a GraphQL operation. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
  async ask(query: string, variables: object = {}): Promise<any> {
    return (await this.post("/graphql", { query, variables }, { accept: "application/json" })).body;
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }

  /** Starts it before the tests of a file or a `describe`, and closes it after them. */
  protected usedBy(start: () => Promise<void>): this {
    beforeAll(start);
    afterAll(() => this.close());
    return this;
  }
}
