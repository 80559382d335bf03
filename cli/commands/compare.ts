import { GatewayClient, UnreachableError } from "../compare/client.js";
import { compareGateways } from "../compare/comparison.js";
import { Report } from "../compare/report.js";
import { gatewayUrlOf } from "../development/gateway-url.js";
import { UsageError } from "../process/usage-error.js";
import type { Command } from "./command.js";

const DEFAULT_SAMPLE = 50;
const LARGEST_SAMPLE = 10_000;
const SEEDS = 2 ** 31;
/** Interval of lines about the progress, in ms. */
const SHOWN_EVERY_MS = 5_000;
const url = { pattern: /^https?:\/\/[^\s?#]+$/, description: "a URL such as http://localhost:3000" };

/** `symbol-gateway compare` */
export const compareCommand: Command = {
  description:
    "Sends the same requests to this gateway and to another one of the same network, and prints the differences: the proof\n" +
    "before a catapult-rest is replaced. Compares blocks and transactions that are final on both; for state, which changes\n" +
    "with every block, a difference counts if it is found again while both are at the same height. Ignores ids and\n" +
    "unspecified orders. Changes nothing. Exit code 0 if there are only documented differences, 1 if\n" +
    "something else differs or a gateway does not respond.",
  settings: ["PORT", "HOST", "TLS_CERTIFICATE_FILE", "DATA_DIR"],
  finds: ["gateway"],
  options: {
    with: { kind: "text", meaning: "the other gateway, such as http://old-gateway:3000", form: url },
    gateway: { kind: "text", meaning: "this gateway (default: the one on HOST and PORT)", form: url },
    sample: {
      kind: "number",
      meaning: `number of random blocks, transactions, accounts and others of each kind (default: ${DEFAULT_SAMPLE})`,
    },
    seed: { kind: "number", meaning: "seed of the random selection, as printed by an earlier comparison" },
  },
  async run(settings, { with: other, gateway, sample = DEFAULT_SAMPLE, seed = Math.floor(Math.random() * SEEDS) }) {
    if (other === undefined)
      throw new UsageError("--with is required: the other gateway, such as http://old-gateway:3000.");
    if (Number(sample) < 1 || Number(sample) > LARGEST_SAMPLE) {
      throw new UsageError(`--sample must be from 1 to ${LARGEST_SAMPLE}, not ${sample}.`);
    }
    const gateways = {
      ours: new GatewayClient(String(gateway ?? gatewayUrlOf(settings))),
      theirs: new GatewayClient(String(other)),
    };
    print(
      `Comparing ${gateways.ours.url} (ours) with ${gateways.theirs.url} (theirs), sample ${sample}, seed ${seed}.`,
    );
    const report = new Report();
    let shownAt = performance.now();
    try {
      await compareGateways({
        gateways,
        sample: Number(sample),
        seed: Number(seed),
        onSpan: (highest) => print(`Blocks 1 to ${highest}.\n`),
        judged(...judged) {
          report.add(...judged);
          if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
          shownAt = performance.now();
          process.stderr.write(`${report.requests} requests, ${report.total("different")} different\n`);
        },
      });
      print(report.text());
      return report.isGood ? 0 : 1;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 1;
    }
  },
};

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
