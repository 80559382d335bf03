import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { freePort } from "./free-port.js";

/** A message as it arrived. */
export interface ReceivedMessage {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  /** Sequence of its event, if it has one. */
  readonly sequence: number | undefined;
}

/** What a receiver does with a request: a status, no answer at all, or a cut, after or before it has read the request. */
export type Reaction =
  | number
  | "hang"
  | "cut"
  | { readonly redirect: string }
  | { readonly status: number; readonly retryAfter: string };

/** A server that receives webhooks, and verifies the signature of each. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = [];
  /** Problems of signatures and headers. */
  readonly problems: string[] = [];
  secret = "";
  react: () => Reaction = () => 200;
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** Has a gateway deliver the events of topics. */
  async subscribe(origin: string, topics: readonly string[], headers: Readonly<Record<string, string>> = {}) {
    const query = `mutation { createWebhook(url: "${this.url}", topics: ${JSON.stringify(topics)}) { secret } }`;
    const response = await fetch(`${origin}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as { data: { createWebhook: { secret: string } } };
    this.secret = data.createWebhook.secret;
  }

  async listen(): Promise<void> {
    this.#port ||= await freePort();
    await once(this.#server.listen(this.#port, "127.0.0.1"), "listening");
  }

  /** Dies: open connections are cut, new ones rejected. */
  async close(): Promise<void> {
    const closed = once(this.#server.close(), "close");
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    this.#verify(request, body);
    const { type, data, sequence } = JSON.parse(body) as ReceivedMessage & { sequence?: string };
    const id = String(request.headers["webhook-id"]);
    this.received.push({ id, type, data, sequence: sequence === undefined ? undefined : Number(sequence) });
    const reaction = this.react();
    if (reaction === "hang") return;
    if (reaction === "cut") {
      request.socket.destroy();
      return;
    }
    if (typeof reaction === "number") response.statusCode = reaction;
    else if ("redirect" in reaction) response.writeHead(302, { Location: reaction.redirect });
    else response.writeHead(reaction.status, { "Retry-After": reaction.retryAfter });
    response.end("ignored");
  }

  /** As a receiver of Standard Webhooks does, which tolerates five minutes. */
  #verify({ headers }: IncomingMessage, body: string): void {
    const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
    const key = Buffer.from(this.secret.replace("whsec_", ""), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    if (headers["webhook-signature"] !== `v1,${expected}`) this.problems.push(`${id}: wrong signature`);
    if (Math.abs(Number(timestamp) * 1_000 - Date.now()) > 300_000) this.problems.push(`${id}: wrong time`);
    if (headers["user-agent"] !== "symbol-gateway") this.problems.push(`${id}: wrong user agent`);
    if (headers["content-type"] !== "application/json") this.problems.push(`${id}: wrong type`);
  }
}
