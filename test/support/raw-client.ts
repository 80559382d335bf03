import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** An answer as it was received. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Where a connection leads to. */
export interface RawTarget {
  readonly port: number;
  readonly isTls?: boolean;
}

/** A connection whose bytes the test writes, and everything received over it. */
export class RawClient {
  readonly socket: Socket;
  #text = "";
  #isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      this.#text += data.toString("latin1");
    });
    socket.on("close", () => {
      this.#isClosed = true;
    });
  }

  static async open({ port, isTls = false }: RawTarget): Promise<RawClient> {
    const to = { port, host: "127.0.0.1" };
    const socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : createConnection(to);
    const client = new RawClient(socket);
    await once(socket, isTls ? "secureConnect" : "connect");
    return client;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All complete answers, without interim ones. */
  get answers(): RawAnswer[] {
    return readAnswers(this.#text).answers;
  }

  /** What was received after them: a part of an answer, or messages of a WebSocket. */
  get rest(): string {
    return readAnswers(this.#text).rest;
  }

  /** Sends requests in one segment. */
  write(...requests: readonly string[]): void {
    this.socket.write(requests.join(""));
  }

  /** Disconnects with a reset. */
  reset(): void {
    // The socket below TLS has no reset of its own.
    if ("encrypted" in this.socket) this.socket.destroy();
    else this.socket.resetAndDestroy();
  }
}

/** A GET request with lines of headers. */
export function get(path: string, ...headers: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, "Host: localhost", ...headers, "\r\n"].join("\r\n");
}

/** A POST request with a JSON body. */
export function post(path: string, body: unknown, ...headers: readonly string[]): string {
  const text = JSON.stringify(body);
  const lines = ["Host: localhost", "Content-Type: application/json", `Content-Length: ${text.length}`, ...headers];
  return [`POST ${path} HTTP/1.1`, ...lines, `\r\n${text}`].join("\r\n");
}

/** Lines of headers that ask for a WebSocket. */
export const WEBSOCKET_HEADERS = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

function readAnswers(text: string): { readonly answers: RawAnswer[]; readonly rest: string } {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.slice(0, Math.max(0, end)).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
    if (Number.isNaN(status)) return { answers, rest };
    const headers = new Map(lines.map((line) => [line.split(":", 1)[0]!.toLowerCase(), line.replace(/^[^:]*: */, "")]));
    const isWithoutBody = status < 200 || status === 204 || status === 304;
    const body = isWithoutBody ? { text: "", size: 0 } : readBody(headers, rest.slice(end + 4));
    if (!body) return { answers, rest };
    rest = rest.slice(end + 4 + body.size);
    if (status >= 200 || status === 101) answers.push({ status, headers, body: body.text });
  }
}

/** A body, and the number of bytes that it takes; undefined if it is not complete. */
function readBody(headers: ReadonlyMap<string, string>, text: string): { text: string; size: number } | undefined {
  if (headers.get("transfer-encoding") !== "chunked") {
    const size = Number(headers.get("content-length"));
    return text.length < size ? undefined : { text: text.slice(0, size), size };
  }
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const line = /^([\da-f]+)\r\n/i.exec(text.slice(at, at + 20));
    const start = at + (line?.[0].length ?? 0);
    const size = Number.parseInt(line?.[1] ?? "", 16);
    if (!line || text.length < start + size + 2) return undefined;
    parts.push(text.slice(start, start + size));
    at = start + size + 2;
    if (size === 0) return { text: parts.join(""), size: at };
  }
}
