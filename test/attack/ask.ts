import { Agent, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";

/** A gateway's port. */
export interface Port {
  readonly port: number;
  /** Whether it serves HTTPS, with a certificate that no client knows. */
  readonly isTls: boolean;
}

export interface Question {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Address of the client: Linux answers on all of 127.0.0.0/8. */
  readonly from?: string;
  /** Gives up after this time, in ms; default 120 s. */
  readonly timeoutMs?: number;
  /** By default each question has a connection of its own. */
  readonly agent?: Agent;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Connections that a well-behaved client keeps. */
export function keptConnections({ isTls }: Port, count: number): Agent {
  const options = { keepAlive: true, maxSockets: count };
  return isTls ? new SecureAgent(options) : new Agent(options);
}

/** Sends a request. @returns the answer; undefined if there is none in time */
export function ask({ port, isTls }: Port, question: Question): Promise<Reply | undefined> {
  const { path, method, headers, body, from, timeoutMs = 120_000, agent } = question;
  const options = {
    ...{ port, host: "127.0.0.1", path, rejectUnauthorized: false, agent: agent ?? false },
    ...(from !== undefined && { localAddress: from }),
    method: method ?? (body ? "POST" : "GET"),
    headers: { ...(body && { "content-type": "application/json" }), ...headers },
    signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
  };
  return new Promise((resolve) => {
    const sent = (isTls ? requestHttps : requestHttp)(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on("error", () => resolve(undefined));
    });
    sent.on("error", () => resolve(undefined));
    sent.end(body && JSON.stringify(body));
  });
}
