import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { Port } from "./ask.js";

/** An attacker has another address than the well-behaved client. Linux answers on all of 127.0.0.0/8. */
export const ATTACKER_ADDRESS = "127.0.0.2";
const HANDSHAKE_KEY = randomBytes(16).toString("base64");

/** The address of the `n`-th of several attackers, the first of which is {@link ATTACKER_ADDRESS}. */
function attackerAddress(n: number): string {
  return `127.0.0.${2 + n}`;
}

export interface HttpAttempt {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Building blocks of attacks. Failures are no errors: an attacker ignores them. */
export class Hostile {
  readonly port: number;
  readonly signal: AbortSignal;
  readonly #isTls: boolean;
  /** Number of requests of floods by the status of their answer, 0 for those without one. */
  readonly answers = new Map<number, number>();
  readonly #sockets = new Set<Socket>();

  constructor({ port, isTls }: Port, signal: AbortSignal) {
    this.port = port;
    this.#isTls = isTls;
    this.signal = signal;
    setMaxListeners(0, signal);
  }

  get hasEnded(): boolean {
    return this.signal.aborted;
  }

  /** Repeats something, `times` of them concurrently. */
  async repeat(times: number, work: (place: number) => Promise<void>): Promise<void> {
    const one = async (_: unknown, place: number): Promise<void> => {
      while (!this.hasEnded) {
        await work(place).catch(() => undefined);
        // Slow enough for the attacker's process to do something else.
        await new Promise(setImmediate);
      }
    };
    await Promise.all(Array.from({ length: times }, one));
  }

  /** A connection; undefined if the gateway rejected it. @param isTls by default as the gateway wants it */
  connect(isTls = this.#isTls): Promise<Socket | undefined> {
    const to = { port: this.port, host: "127.0.0.1", localAddress: ATTACKER_ADDRESS };
    const socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : createConnection(to);
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    return new Promise((resolve) => {
      socket.once(isTls ? "secureConnect" : "connect", () => resolve(socket));
      socket.once("close", () => resolve(undefined));
    });
  }

  /** The maximum number of connections that the gateway accepts. */
  connectMany(count: number, isTls = this.#isTls): Promise<Socket[]> {
    return this.#many(count, 50, () => this.connect(isTls));
  }

  /** A WebSocket connection with its uid, undefined if the gateway rejected it. */
  async open(path = "/ws", headers = ""): Promise<HostileSocket | undefined> {
    const socket = await this.connect();
    if (!socket) return undefined;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost:${this.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${HANDSHAKE_KEY}\r\n${headers}\r\n`,
    );
    return new Promise((resolve) => {
      let text = "";
      const read = (data: Buffer): void => {
        text += data.toString("latin1");
        const isGraphql = path !== "/ws" && text.startsWith("HTTP/1.1 101");
        const uid = isGraphql ? "" : /\{"uid":"([^"]+)"\}/.exec(text)?.[1];
        if (uid === undefined) return;
        socket.off("data", read);
        resolve(new HostileSocket(socket, uid));
      };
      socket.on("data", read);
      socket.once("close", () => resolve(undefined));
    });
  }

  /** The maximum number of them that the gateway accepts. */
  openMany(count: number, path?: string, headers?: string): Promise<HostileSocket[]> {
    return this.#many(count, 25, () => this.open(path, headers));
  }

  /** Opens some at a time, until the gateway rejects one. */
  async #many<Opened>(count: number, atOnce: number, open: () => Promise<Opened | undefined>): Promise<Opened[]> {
    const opened: Opened[] = [];
    while (opened.length < count && !this.hasEnded) {
      const some = await Promise.all(Array.from({ length: Math.min(atOnce, count - opened.length) }, open));
      const accepted = some.filter((one) => one !== undefined);
      opened.push(...accepted);
      if (accepted.length < some.length) break;
    }
    return opened;
  }

  /** Sends requests over kept connections from some addresses, one at a time on each, and reads the answers. */
  async flood(connections: number, next: (n: number) => HttpAttempt, addresses = 1): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    let count = 0;
    await this.repeat(connections, async (place) => {
      const from = attackerAddress(place % addresses);
      const status = await this.#request(agent, next(count++), from).catch(() => 0);
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
      // A rejection costs next to nothing, and is not what an attacker wants.
      if (status === 429) await sleep(5);
    });
    agent.destroy();
  }

  #request(agent: Agent, { method = "GET", path, headers = {}, body }: HttpAttempt, from: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        ...{ agent, port: this.port, host: "127.0.0.1", localAddress: from, method, path },
        headers: { host: `localhost:${this.port}`, ...headers },
        signal: this.signal,
      };
      const sent = httpRequest(options, (response: IncomingMessage) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Waits until the attack is over. */
  async wait(): Promise<void> {
    if (this.hasEnded) return;
    await new Promise((resolve) => this.signal.addEventListener("abort", resolve, { once: true }));
  }

  /** Ends all connections. */
  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** A WebSocket connection that ignores the rules. */
export class HostileSocket {
  readonly socket: Socket;
  readonly uid: string;

  constructor(socket: Socket, uid: string) {
    this.socket = socket;
    this.uid = uid;
  }

  send(message: unknown): void {
    this.socket.write(frame(0x81, Buffer.from(JSON.stringify(message))));
  }

  subscribe(topic: string, from?: number): void {
    this.send({ uid: this.uid, subscribe: topic, from });
  }

  /** Writes bytes as often as the gateway accepts them, until the signal. */
  async pour(bytes: Buffer, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.socket.destroyed) {
      const isTaken = this.socket.write(bytes);
      await (isTaken ? new Promise(setImmediate) : this.#drained(signal));
    }
  }

  /** Reads everything and discards it. */
  read(): void {
    this.socket.on("data", () => undefined);
  }

  /** Stops reading. */
  pause(): void {
    this.socket.pause();
  }

  #drained(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      for (const event of ["drain", "close"]) this.socket.once(event, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

/** A frame with its first byte (whether it is the last of its message, and its kind), masked with zeros. */
export function frame(first: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126
      ? Buffer.of(0x80 | payload.length)
      : payload.length < 65_536
        ? Buffer.of(0x80 | 126, payload.length >> 8, payload.length & 0xff)
        : Buffer.concat([Buffer.of(0x80 | 127, 0, 0, 0, 0), uint32(payload.length)]);
  return Buffer.concat([Buffer.of(first), length, Buffer.alloc(4), payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Spellings of hex digits that differ in the case of their letters. */
export function spellings(hex: string, count: number): string[] {
  const letters = [...hex.toUpperCase()];
  const places = letters.flatMap((letter, place) => (/[A-F]/.test(letter) ? [place] : []));
  return Array.from({ length: count }, (_, n) => {
    const text = [...letters];
    places.forEach((place, bit) => {
      if ((n >> bit) & 1) text[place] = text[place]!.toLowerCase();
    });
    return text.join("");
  });
}
