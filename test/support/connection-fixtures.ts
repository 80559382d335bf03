import { pino } from "pino";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { NodeConnection, type NodeConnectionOptions } from "../../catapult/wire/connection.js";
import type { PacketHandler, PacketServer, PacketServerOptions } from "../../devnet/protocol/packet-server.js";
import { openSocketCount } from "./open-sockets.js";
import { RawPacketServer } from "./raw-packet-server.js";
import { until } from "./until.js";

export const silentLog = pino({ level: "silent" });
export const serverCredentials = createCredentials({ commonName: "test node" });
export const clientCredentials = createCredentials({ commonName: "test client" });

/** A packet server on a free port of this machine. */
export function listen(
  handlers: readonly (readonly [number, PacketHandler])[],
  options: Partial<PacketServerOptions> = {},
): Promise<PacketServer> {
  return RawPacketServer.listen({
    credentials: serverCredentials,
    log: silentLog,
    handlers: new Map(handlers),
    ...options,
  });
}

/** Creates resources that are closed after a test, whatever its result. */
export class Closing {
  #closers: (() => unknown)[] = [];

  add<T extends { close(): unknown }>(resource: T): T {
    this.#closers.push(() => resource.close());
    return resource;
  }

  async serve(
    handlers: readonly (readonly [number, PacketHandler])[],
    options: Partial<PacketServerOptions> = {},
  ): Promise<PacketServer> {
    return this.add(await listen(handlers, options));
  }

  async connectTo(server: PacketServer, options: Partial<NodeConnectionOptions> = {}): Promise<NodeConnection> {
    const { host, port } = server.address();
    return this.add(await NodeConnection.connect({ host, port, credentials: clientCredentials, ...options }));
  }

  /** Closes everything, the latest first, and fails if a socket of a node connection is still open. */
  async closeAll(): Promise<void> {
    const closers = this.#closers.reverse();
    this.#closers = [];
    for (const close of closers) await close();
    await until(() => openSocketCount() === 0, "all sockets are closed");
  }
}

/** The reason for which a promise is rejected. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error("was not rejected");
    },
    (error: Error) => error,
  );
}
