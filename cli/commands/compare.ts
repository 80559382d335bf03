import { compareGateways } from "../compare/compare.js";
import { GatewayClient, UnreachableError } from "../compare/gateway-client.js";
import { CompareProgress } from "../compare/progress.js";
import { gatewayUrlOf } from "../development/gateway-url.js";
import { UsageError } from "../process/usage-error.js";
import type { Command } from "./command.js";

const DEFAULT_SAMPLE = 50;
const LARGEST_SAMPLE = 10_000;
const SEEDS = 2 ** 31;
const url = { pattern: /^https?:\/\/[^\s?#]+$/, description: "a URL such as http://localhost:3000" };

/** `symbol-gateway compare` */
export const compareCommand: Command = {
  description:
    "Sends the same requests to this gateway and to another one of the same network, and prints what differs: the proof\n" +
    "before a catapult-rest is replaced. Blocks and transactions are compared as far as they are final at both; for state,\n" +
    "which changes with every block, a difference counts when it is there again while both are at one height. Ids, and\n" +
    "orders that are not specified, do not count. Changes nothing. Exit code 0 when all is equal but for what is\n" +
    "documented, 1 when something else differs or a gateway does not answer.",
  settings: ["PORT", "HOST", "TLS_CERTIFICATE_FILE", "DATA_DIR"],
  finds: ["gateway"],
  options: {
    with: { kind: "text", meaning: "the other gateway, such as http://old-gateway:3000", form: url },
    gateway: { kind: "text", meaning: "this gateway; by default the one on HOST and PORT", form: url },
    sample: {
      kind: "number",
      meaning: `so many blocks, transactions, accounts and others of each kind, by chance; by default ${DEFAULT_SAMPLE}`,
    },
    seed: { kind: "number", meaning: "number that the chance follows from, as an earlier comparison printed it" },
  },
  async run(settings, { with: other, gateway, sample = DEFAULT_SAMPLE, seed = Math.floor(Math.random() * SEEDS) }) {
    if (other === undefined)
      throw new UsageError("--with is needed: the other gateway, such as http://old-gateway:3000.");
    if (Number(sample) < 1 || Number(sample) > LARGEST_SAMPLE) {
      throw new UsageError(`--sample must be from 1 to ${LARGEST_SAMPLE}, not ${sample}.`);
    }
    const gateways = {
      ours: new GatewayClient(String(gateway ?? gatewayUrlOf(settings))),
      theirs: new GatewayClient(String(other)),
    };
    print(`Compares ${gateways.ours.url} (ours) with ${gateways.theirs.url} (theirs), sample ${sample}, seed ${seed}.`);
    const progress = new CompareProgress();
    try {
      const report = await compareGateways({
        gateways,
        sample: Number(sample),
        seed: Number(seed),
        onSpan: ({ highest }) => print(`Blocks 1 to ${highest}.\n`),
        onProgress: (soFar) => progress.show(soFar),
      });
      progress.end();
      print(report.text());
      return report.isGood ? 0 : 1;
    } catch (error) {
      progress.end();
      if (!(error instanceof UnreachableError)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 1;
    }
  },
};

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
