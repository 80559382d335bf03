import { connect, type TLSSocket } from "node:tls";
import type { NodeCredentials } from "../certificate/certificate.js";
import { tlsOptions } from "../certificate/certificate.js";
import { nodeKeyOfPeer, publicKeyOfPeer } from "../certificate/certificate-chain.js";
import {
  ConnectError,
  ConnectionClosedError,
  ConnectionDroppedError,
  NodeError,
  PeerCertificateError,
  RequestTimeoutError,
  UnexpectedPacketError,
} from "./errors.js";
import { DEFAULT_MAX_PACKET_SIZE, encodePacket, type Packet, PacketReader } from "./packet.js";

/** Options of a connection to a node. Times in ms, sizes in bytes. */
export interface NodeConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly credentials: NodeCredentials;
  /** For TCP and TLS together; default 10,000. */
  readonly timeoutMs?: number;
  /** Default 15,000; see {@link NodeConnection.request}. */
  readonly requestTimeoutMs?: number;
  /** Largest accepted packet, header included; default 150 MiB of payload. */
  readonly maxPacketSize?: number;
  /** Stops connecting when aborted. */
  readonly signal?: AbortSignal;
}

interface PendingRequest {
  readonly type: number;
  readonly accept: readonly number[];
  readonly timeoutMs: number;
  readonly maxAnswerSize: number;
  readonly resolve: (payload: Buffer) => void;
  readonly reject: (error: Error) => void;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_REQUEST_TIMEOUT_MS = 15_000;
/** A response that arrives slowly may take this many timeouts in total. */
const MAX_TIMEOUTS_PER_ANSWER = 20;
const KEEP_ALIVE_MS = 30_000;
const CLOSE_GRACE_MS = 1000;

/** How a node is named in messages: `host:port`. */
export function endpointName({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}

/**
 * One TLS connection to a node (TLS 1.3, certificates on both sides, see `certificate.ts`).
 *
 * A node answers the requests of a connection in order, so any number can be outstanding at once. Whatever breaks
 * that order (a response of another type, a malformed frame, a timeout) closes the connection, and all outstanding
 * requests are rejected.
 *
 * A node sends no requests over a connection that the other side opened (the reference node answers on those, and
 * sends its own requests and broadcasts over connections that it opened itself). So a packet without an outstanding
 * request is a protocol error and closes the connection too.
 */
export class NodeConnection {
  /** `host:port`. */
  readonly node: string;
  /** Main public key of the node, 32 bytes: its identity. */
  readonly peerPublicKey: Buffer;
  /** Public key of the node's own certificate, 32 bytes: needed for delegated harvesting. */
  readonly peerNodeKey: Buffer;
  /** Resolves when the socket is closed: with the reason, or with `undefined` after {@link close}. */
  readonly closed: Promise<Error | undefined>;

  readonly #socket: TLSSocket;
  readonly #reader: PacketReader;
  readonly #requestTimeoutMs: number;
  #pending: PendingRequest[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** When waiting for the outstanding response began. */
  #waitingSince = 0;
  #chunksReceived = 0;
  #failure: NodeError | undefined;
  #isClosing = false;
  #hasReceived = false;
  readonly #onData = (chunk: Buffer) => this.#receive(chunk);

  private constructor(socket: TLSSocket, peerPublicKey: Buffer, options: NodeConnectionOptions) {
    this.node = endpointName(options);
    this.peerPublicKey = peerPublicKey;
    this.peerNodeKey = nodeKeyOfPeer(socket);
    this.#socket = socket;
    this.#reader = new PacketReader({
      maxPacketSize: options.maxPacketSize ?? DEFAULT_MAX_PACKET_SIZE,
      source: this.node,
    });
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#fail(this.#closedByNode());
        resolve(this.#failure);
      });
    });
    socket.once("end", () => this.#fail(this.#closedByNode()));
    socket.on("error", (error) => this.#fail(this.#closedByNode(error)));
    socket.on("data", this.#onData);
  }

  /**
   * @throws ConnectError when the node is not reachable in time
   * @throws PeerCertificateError when its certificates are not valid for a node
   */
  static connect(options: NodeConnectionOptions): Promise<NodeConnection> {
    const { host, port, signal, timeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = options;
    const node = endpointName(options);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new ConnectError(node, "aborted"));
      const socket = connect({ host, port, ...tlsOptions(options.credentials) });
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);

      const timer = setTimeout(() => giveUp(new ConnectError(node, `no response within ${timeoutMs} ms`)), timeoutMs);
      const onAbort = () => giveUp(new ConnectError(node, "aborted"));
      const onError = (error: Error) => giveUp(new ConnectError(node, error.message, { cause: error }));
      const onClose = () => giveUp(new ConnectError(node, "closed by the node"));
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        socket.off("close", onClose);
      };
      const giveUp = (error: Error) => {
        settle();
        socket.destroy();
        reject(error);
      };
      signal?.addEventListener("abort", onAbort);
      socket.once("close", onClose);
      socket.once("error", onError);
      socket.once("secureConnect", () => {
        try {
          const connection = new NodeConnection(socket, publicKeyOfPeer(socket), options);
          settle();
          socket.off("error", onError);
          resolve(connection);
        } catch (error) {
          giveUp(new PeerCertificateError(node, (error as Error).message));
        }
      });
    });
  }

  /** False as soon as no more requests can be sent. */
  get isOpen(): boolean {
    return this.#failure === undefined && !this.#isClosing;
  }

  /**
   * Sends a request and returns the payload of the response. Requests may overlap; responses are matched in order.
   * @param options.timeoutMs how long the node may be silent, counted from its response to the previous request, and
   *   from each byte of the response; a response that keeps trickling is aborted after 20 times as long
   * @param options.accept packet types of the response; default that of the request
   * @param options.maxAnswerSize largest accepted payload, in bytes; a larger response is cut off at its header
   * @throws UnexpectedPacketError, RequestTimeoutError, PacketError or ConnectionClosedError; the connection is then
   * closed
   */
  request(
    type: number,
    payload?: Buffer,
    options: { timeoutMs?: number; accept?: readonly number[]; maxAnswerSize?: number } = {},
  ): Promise<Buffer> {
    if (!this.isOpen) return Promise.reject(this.#closedError());
    return new Promise((resolve, reject) => {
      const { timeoutMs = this.#requestTimeoutMs, accept = [type], maxAnswerSize = Number.POSITIVE_INFINITY } = options;
      this.#socket.write(encodePacket(type, payload));
      this.#pending.push({ type, accept, timeoutMs, maxAnswerSize, resolve, reject });
      if (this.#pending.length === 1) this.#awaitNext();
    });
  }

  /**
   * Sends a packet without a response. Resolves when the operating system has accepted the bytes.
   * @throws ConnectionClosedError
   */
  push(type: number, payload: Buffer): Promise<void> {
    if (!this.isOpen) return Promise.reject(this.#closedError());
    return new Promise((resolve, reject) => {
      this.#socket.write(encodePacket(type, payload), (error) => {
        if (error) reject(this.#closedError());
        else resolve();
      });
    });
  }

  /** Rejects outstanding requests, sends what was pushed, and resolves when the socket is closed. */
  async close(): Promise<void> {
    if (this.isOpen) {
      this.#isClosing = true;
      this.#stopReading();
      this.#rejectPending(this.#closedError());
      this.#socket.end();
      const timer = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS);
      this.#socket.once("close", () => clearTimeout(timer));
    }
    await this.closed;
  }

  #receive(chunk: Buffer): void {
    this.#chunksReceived += 1;
    this.#hasReceived = true;
    try {
      this.#reader.append(chunk);
      const next = () => this.#reader.next(this.#pending[0]);
      for (let packet = next(); packet && this.isOpen; packet = next()) this.#answer(packet);
      const [request] = this.#pending;
      if (request && this.isOpen && this.#reader.bufferedBytes > 0) this.#keepWaiting(request);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#fail(error);
    }
  }

  #answer(packet: Packet): void {
    const request = this.#pending[0];
    if (!request?.accept.includes(packet.type)) {
      throw new UnexpectedPacketError(this.node, request?.accept ?? [], packet.type);
    }
    this.#pending.shift();
    this.#awaitNext();
    request.resolve(packet.payload);
  }

  /** Waits for the response to the next request. */
  #awaitNext(): void {
    clearTimeout(this.#timer);
    const request = this.#pending[0];
    if (!request) return;
    this.#waitingSince = performance.now();
    this.#timer = setTimeout(() => {
      const received = this.#chunksReceived;
      // Bytes that arrived while this process was busy are read before the timeout counts.
      setImmediate(() => {
        if (this.#pending[0] === request && this.#chunksReceived === received)
          this.#timeOut(request, request.timeoutMs);
      });
    }, request.timeoutMs);
  }

  /**
   * More of a response arrived: as long as that continues, the node is not late. Bytes are counted by TLS records, up
   * to 16 KiB.
   */
  #keepWaiting(request: PendingRequest): void {
    const longest = request.timeoutMs * MAX_TIMEOUTS_PER_ANSWER;
    if (performance.now() - this.#waitingSince > longest) this.#timeOut(request, longest);
    else this.#timer?.refresh();
  }

  #timeOut({ type }: PendingRequest, ms: number): void {
    this.#fail(new RequestTimeoutError(this.node, type, ms, this.#reader.bufferedBytes));
  }

  #fail(error: NodeError): void {
    if (!this.isOpen) return;
    this.#failure = error;
    this.#endSocket();
    this.#rejectPending(error);
  }

  /** A part of a response may be large, and this connection is referenced until there is another one. */
  #stopReading(): void {
    this.#socket.off("data", this.#onData);
    this.#reader.clear();
  }

  /**
   * With TLS's close_notify: a node that gets none treats it as an error, and closes all connections of the identity,
   * including those of other processes (`PacketReaders.cpp`).
   */
  #endSocket(): void {
    const socket = this.#socket;
    this.#stopReading();
    if (socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
    socket.once("close", () => clearTimeout(timer));
    socket.end(() => socket.destroy());
  }

  /** The error for a connection that the node closed. */
  #closedByNode(cause?: Error & { code?: string }): ConnectionClosedError {
    const isReset = cause === undefined || cause.code === "ECONNRESET" || cause.code === "EPIPE";
    if (isReset && !this.#hasReceived) return new ConnectionDroppedError(this.node, { cause });
    return new ConnectionClosedError(this.node, cause?.message ?? "by the node", {
      cause,
      request: this.#pending[0]?.type,
    });
  }

  #rejectPending(error: Error): void {
    clearTimeout(this.#timer);
    const [first, ...others] = this.#pending;
    this.#pending = [];
    first?.reject(error);
    for (const request of others) request.reject(this.#closedError());
  }

  #closedError(): Error {
    if (!this.#failure) return new ConnectionClosedError(this.node, "by this side");
    if (this.#failure instanceof ConnectionClosedError) return this.#failure;
    return new ConnectionClosedError(this.node, this.#failure.reason, { cause: this.#failure });
  }
}
