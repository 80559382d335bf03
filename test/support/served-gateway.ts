import { afterAll, beforeAll } from "@jest/globals";
import type { Gateway } from "../../gateway/server.js";

/** An answer of a gateway. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every form.
  readonly body: any;
}

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

  async get(path: string, init: RequestInit = {}): Promise<TestAnswer> {
    const response = await fetch(this.url + path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  }

  /** Sends JSON, or a text as it is. */
  send(method: "POST" | "PUT", path: string, body: unknown, headers: object = {}): Promise<TestAnswer> {
    return this.get(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
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
