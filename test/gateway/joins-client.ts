import { expect } from "@jest/globals";
import type { RestStack } from "../support/rest-stack.js";
import type { TestLog } from "./gateway-fixture.js";

// biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
type Any = any;

/** Queries a gateway over GraphQL, and over REST for the same data. */
export class JoinsClient {
  readonly stack: RestStack;
  /** Of the gateway. */
  readonly log: TestLog;
  readonly #answers = new Map<string, Promise<Any>>();

  constructor(stack: RestStack, log: TestLog) {
    this.stack = stack;
    this.log = log;
  }

  /** The data of an answer without errors. */
  async ask(query: string): Promise<Any> {
    const { data, errors } = await this.stack.ask(query);
    expect({ query: query.slice(0, 120), errors }).toEqual({ query: query.slice(0, 120), errors: undefined });
    return data;
  }

  /** The data of the first results of a subscription. */
  async events(query: string, count: number): Promise<Any[]> {
    const response = await fetch(`${this.stack.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query }),
    });
    let text = "";
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk).toString();
      const results = [...text.matchAll(/^data: (.+)$\n/gm)].map(([, result]) => JSON.parse(result!));
      if (results.length < count) continue;
      expect(results.slice(0, count).map(({ errors }) => errors)).toEqual(Array(count).fill(undefined));
      return results.slice(0, count).map(({ data }) => data);
    }
    throw new Error(`The subscription ended: ${text}`);
  }

  /** The REST body at a path, requested once; null where there is nothing. */
  rest(path: string): Promise<Any> {
    const known =
      this.#answers.get(path) ?? this.stack.get(path).then(({ status, body }) => (status === 404 ? null : body));
    this.#answers.set(path, known);
    return known;
  }

  /** The entries of a list of REST. */
  async dataOf(path: string): Promise<Any> {
    return (await this.rest(path)).data;
  }

  /** Names of an address or a mosaic according to REST. */
  async names(kind: "account" | "mosaic", key: string): Promise<string[]> {
    const body = kind === "account" ? { addresses: [key] } : { mosaicIds: [key] };
    const { body: answer } = await this.stack.post(`/namespaces/${kind}/names`, body);
    return (answer.accountNames ?? answer.mosaicNames)[0].names;
  }
}
