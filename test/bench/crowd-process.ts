import { RawClient } from "./raw-client.js";

/** A command to the crowd. */
export type CrowdOrder =
  | { readonly kind: "connect"; readonly port: number; readonly topics: readonly (readonly string[])[] }
  | { readonly kind: "expect"; readonly bytes: number };

/** The reply once the command is completed; `at` is the time, in ns of the machine's monotonic clock. */
export interface CrowdReport {
  readonly at: string;
}

/** Number of connections opened at a time: the server's backlog is short. */
const CONNECTING = 100;

let clients: RawClient[] = [];
let check: (client: RawClient) => void = () => undefined;

async function connectAll(port: number, topics: readonly (readonly string[])[]): Promise<void> {
  clients = new Array<RawClient>(topics.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < topics.length; index = next++) {
      clients[index] = await RawClient.connect(port, topics[index]!, (client) => check(client));
    }
  };
  await Promise.all(Array.from({ length: CONNECTING }, worker));
}

/** Waits until every client has received this number of bytes since the last call. */
function expectBytes(bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const missing = new Set<RawClient>();
    check = (client) => {
      if (client.received < bytes || !missing.delete(client) || missing.size > 0) return;
      check = () => undefined;
      for (const each of clients) each.received = 0;
      resolve();
    };
    for (const client of clients) missing.add(client);
    for (const client of clients) check(client);
  });
}

async function carryOut(order: CrowdOrder): Promise<void> {
  if (order.kind === "connect") await connectAll(order.port, order.topics);
  else await expectBytes(order.bytes);
}

process.on("message", async (order: CrowdOrder) => {
  await carryOut(order);
  const report: CrowdReport = { at: String(process.hrtime.bigint()) };
  process.send?.(report);
});
