import { connect, type TcpNetConnectOpts } from "node:net";

/** The result of many requests, sent one at a time on each of some connections. */
export interface Load {
  /** Requests per second. */
  readonly rate: number;
  /** Time of each answer, in ms. */
  readonly times: readonly number[];
}

export interface LoadOptions {
  readonly port: number;
  /** The path of the n-th request. */
  readonly path: (request: number) => string;
  readonly connections?: number;
  /** Duration of the load, in ms; by default, it ends after `requests`. */
  readonly ms?: number;
  /** Number of requests, at most. */
  readonly requests?: number;
  /** Further header lines, each ending in CR LF. */
  readonly headers?: string;
  /** Expected status of each answer; default 200. */
  readonly status?: 200 | 304;
}

const HEAD_END = "\r\n\r\n";
/** Characters. */
const LONGEST_HEAD = 4_096;
const READ_BYTES = 256 * 1_024;

/**
 * Sends requests and counts answers with as little work as possible: the server needs the machine. On Linux, which answers on
 * all of 127.0.0.0/8, each connection is that of another client: a gateway limits the requests of one.
 * @throws Error when an answer has another status
 */
export async function loadHttp(options: LoadOptions): Promise<Load> {
  const { port, path, connections = 16, ms = Infinity, requests = Infinity, headers = "", status = 200 } = options;
  const times: number[] = [];
  const startedAt = performance.now();
  let request = 0;
  const next = (): string | undefined =>
    request < requests && performance.now() - startedAt < ms
      ? `GET ${path(request++)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`
      : undefined;
  await Promise.all(
    Array.from({ length: connections }, (_, place) =>
      runConnection(
        { port, ...(process.platform === "linux" && { localAddress: `127.0.0.${2 + place}` }) },
        next,
        status,
        times,
      ),
    ),
  );
  return { rate: (times.length * 1_000) / (performance.now() - startedAt), times };
}

function runConnection(
  to: TcpNetConnectOpts,
  next: () => string | undefined,
  status: number,
  times: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let head = "";
    let missing = -1;
    const receive = (size: number, bytes: Uint8Array): boolean => {
      if (missing >= 0) missing -= size;
      else {
        // The head alone is decoded.
        const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, size);
        const before = head.length;
        head += chunk.toString("latin1", 0, Math.min(size, LONGEST_HEAD));
        const end = head.indexOf(HEAD_END);
        if (end < 0) return true;
        const length = status === 304 ? 0 : /content-length: (\d+)/i.exec(head)?.[1];
        if (!head.startsWith(`HTTP/1.1 ${status} `) || length === undefined) {
          reject(new Error(`Unexpected answer: ${head.slice(0, 200)}`));
          return false;
        }
        missing = Number(length) - (before + size - end - HEAD_END.length);
      }
      if (missing > 0) return true;
      times.push(performance.now() - sentAt);
      send();
      return true;
    };
    // One buffer for all answers: one for each read would make this process collect garbage much of the time.
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: receive };
    const socket = connect({ ...to, host: "127.0.0.1", onread });
    socket.setNoDelay(true);
    const send = (): void => {
      const text = next();
      if (text === undefined) {
        socket.end();
        resolve();
        return;
      }
      head = "";
      missing = -1;
      sentAt = performance.now();
      socket.write(text);
    };
    socket.on("connect", send);
    socket.on("error", reject);
  });
}
