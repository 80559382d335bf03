import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { Logger } from "pino";
import { type NodeCredentials, tlsOptions } from "../../catapult/certificate/certificate.js";
import { publicKeyOfPeer } from "../../catapult/certificate/certificate-chain.js";
import { DEFAULT_MAX_PACKET_SIZE, encodePacket, type Packet, PacketReader } from "../../catapult/wire/packet.js";
import { describePacketType } from "../../catapult/wire/packet-type.js";

/** The peer that sent a request. */
export interface PacketPeer {
  /** Main public key, 32 bytes. */
  readonly publicKey: Buffer;
  /** `host:port`. */
  readonly address: string;
}

/** A response: a payload (sent with the type of the request), a packet of another type, or nothing. */
export type PacketReply = Buffer | Packet | undefined;

/** Responds to one packet type. When it throws, the connection is closed. */
export type PacketHandler = (payload: Buffer, peer: PacketPeer) => PacketReply | Promise<PacketReply>;

/** Sizes in bytes. */
export interface PacketServerOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  /** The handlers by packet type. May be changed while the server runs. */
  readonly handlers: ReadonlyMap<number, PacketHandler>;
  /** Header included; default 150 MiB of payload. */
  readonly maxPacketSize?: number;
  /** Default 512, as the reference node's for incoming connections. */
  readonly maxConnections?: number;
  /** Decides about each connection after its TLS handshake; default: all are accepted. */
  readonly admission?: PeerAdmission;
}

/** Decides which connections a node keeps. */
export interface PeerAdmission {
  /** @param close closes the connection @returns whether it is accepted; otherwise it is closed */
  enter(peer: PacketPeer, close: () => void): boolean;
  /** An accepted connection has ended, with the error if it broke. */
  leave(peer: PacketPeer, error?: Error): void;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 1000;
const DEFAULT_MAX_CONNECTIONS = 512;

/**
 * The server side of a node: TLS 1.3 with certificates on both sides; the requests of a connection are answered in
 * order. A packet type without a handler, a malformed frame, or certificates that are not a node's close the
 * connection, as on the reference node.
 */
export class PacketServer {
  readonly #options: PacketServerOptions;
  readonly #log: Logger;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  protected constructor(options: PacketServerOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#server = createServer({
      ...tlsOptions(options.credentials),
      requestCert: true,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    });
    this.#server.maxConnections = options.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("tlsClientError", (error) => this.#log.debug({ reason: error.message }, "a TLS handshake failed"));
    this.#server.on("secureConnection", (socket) => void this.#accept(socket));
  }

  /** @throws the system's error when the port cannot be listened on */
  static async listen(options: PacketServerOptions): Promise<PacketServer> {
    const server = new this(options);
    server.#server.listen(options.port ?? 0, options.host ?? "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  /** The address it listens on. */
  address(): { host: string; port: number } {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  /** Number of open connections, including those in their handshake. */
  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** Closes all connections and stops listening. */
  async close(): Promise<void> {
    const closed = [this.#server, ...this.#sockets].map((closing) => once(closing, "close"));
    this.#server.close();
    this.closeConnections();
    await Promise.all(closed);
  }

  /** Closes all connections and keeps listening. */
  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #accept(socket: TLSSocket): Promise<void> {
    const address = `${socket.remoteAddress}:${socket.remotePort}`;
    socket.on("error", (error) => this.#log.debug({ peer: address, reason: error.message }, "a connection failed"));
    socket.setNoDelay(true);
    try {
      const peer = { publicKey: publicKeyOfPeer(socket), address };
      if (this.#options.admission?.enter(peer, () => socket.destroy()) ?? true) await this.#serve(socket, peer);
    } catch (error) {
      // A peer that disconnects in the middle of a request is no reason for a warning.
      const level = socket.destroyed ? "debug" : "warn";
      this.#log[level]({ peer: address, reason: (error as Error).message }, "closing a connection");
    } finally {
      closeSoon(socket);
    }
  }

  async #serve(socket: TLSSocket, peer: PacketPeer): Promise<void> {
    try {
      await this.#answerAll(socket, peer);
      this.#options.admission?.leave(peer);
    } catch (error) {
      this.#options.admission?.leave(peer, error as Error);
      throw error;
    }
  }

  async #answerAll(socket: TLSSocket, peer: PacketPeer): Promise<void> {
    const maxPacketSize = this.#options.maxPacketSize ?? DEFAULT_MAX_PACKET_SIZE;
    const reader = new PacketReader({ maxPacketSize, source: peer.address });
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      reader.append(chunk);
      for (let packet = reader.next(); packet; packet = reader.next()) await this.#answer(socket, packet, peer);
    }
  }

  async #answer(socket: TLSSocket, packet: Packet, peer: PacketPeer): Promise<void> {
    const handler = this.#options.handlers.get(packet.type);
    if (!handler) throw new Error(`no handler for ${describePacketType(packet.type)}`);
    const reply = await handler(packet.payload, peer);
    const bytes = reply && this.encode(packet.type, reply);
    if (bytes && !socket.destroyed && !socket.write(bytes)) await drained(socket);
  }

  /** The bytes of the response to a request of this type. */
  protected encode(requestType: number, reply: Buffer | Packet): Buffer {
    return Buffer.isBuffer(reply) ? encodePacket(requestType, reply) : encodePacket(reply.type, reply.payload);
  }
}

/** Sends what is written, but waits only a moment for a peer that does not read. */
function closeSoon(socket: TLSSocket): void {
  // Closed already, it would not say so again, and the timer would keep the process.
  if (socket.closed) return;
  const timer = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
  socket.once("close", () => clearTimeout(timer));
  socket.destroySoon();
}

/** Sockets whose peers have not read what was written. */
const draining = new WeakMap<TLSSocket, Promise<void>>();

/** Waits until the peer has read what was written, or is gone: once for all responses to pipelined requests. */
function drained(socket: TLSSocket): Promise<void> {
  const known = draining.get(socket);
  if (known) return known;
  const waiting = new Promise<void>((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      draining.delete(socket);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
  draining.set(socket, waiting);
  return waiting;
}
