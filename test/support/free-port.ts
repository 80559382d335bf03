import { once } from "node:events";
import { createServer } from "node:net";

/** Linux gives the ports from 32768 on to connections, and to servers that leave the choice to it. */
const FIRST = 21_000;
const PER_WORKER = 1_000;
const WORKERS = 10;

let next = process.pid % PER_WORKER;

/**
 * A TCP port of 127.0.0.1 for a server that cannot leave the choice to the system, or that nothing listens on. Nothing
 * else gets it meanwhile, neither a test in another process nor a connection: one to a port that the system gives out,
 * while nothing listens there, connects now and then to itself, and keeps the server from starting.
 */
export async function freePort(): Promise<number> {
  const first = FIRST + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PER_WORKER;
  for (let tried = 0; tried < PER_WORKER; tried++) {
    const port = first + (next++ % PER_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error(`All ports from ${first} to ${first + PER_WORKER - 1} are taken`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  await once(server.close(), "close");
  return true;
}
