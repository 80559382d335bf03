import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { startDevnet } from "../../devnet/devnet.js";
import { signedPayload } from "../support/devnet.js";

/**
 * Runs a devnet in this process and prints its memory, as a line of JSON after each round of blocks: `height`,
 * `rss`, and `kept`, which remains after a collection (with `--expose-gc`); both in bytes.
 * Arguments: blocks per round, number of rounds.
 */
const [blocks = 0, rounds = 0] = process.argv.slice(2).map(Number);
const dataDirectory = await mkdtemp(join(tmpdir(), "symbol-gateway-memory-"));
const devnet = await startDevnet({
  dataDirectory,
  port: 0,
  zmqPort: 0,
  log: pino({ level: "silent" }),
  autoHarvest: false,
});
const [alice, bob] = devnet.accounts;
if (!alice || !bob) throw new Error("the devnet has no accounts");

for (let round = 0; round < rounds; round += 1) {
  for (let block = 0; block < blocks; block += 1) {
    if (block % 10 === 0) devnet.announce(signedPayload(devnet, alice, { recipientAddress: bob.address, amount: 1n }));
    await devnet.harvest(1);
    // connections and the publisher get their turn, as between real blocks
    await new Promise((done) => setImmediate(done));
  }
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ height: devnet.height, rss, kept: heapUsed + external })}\n`);
}
await devnet.stop();
await rm(dataDirectory, { recursive: true });
