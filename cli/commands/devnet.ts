import path from "node:path";
import { CertificateError } from "../../catapult/certificate/der.js";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { ChainFileError } from "../../devnet/chain/chain.js";
import { type Devnet, startDevnet } from "../../devnet/devnet.js";
import { MAIN_NETWORK_RULES } from "../../devnet/network/main-network-rules.js";
import type { RunningDevnet } from "../development/dev.js";
import { developmentAccounts } from "../development/development-accounts.js";
import { createLog } from "../parts/log.js";
import { checkPort, DEVNET_PORTS, listening, reportReady } from "../parts/parts.js";
import { runUntilStopped } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";
import type { Command } from "./command.js";

/** `symbol-gateway devnet` */
export const devnetCommand: Command = {
  description:
    "Runs a node of a private network on 127.0.0.1, with a ZeroMQ publisher, that creates a block every DEVNET_BLOCK_MS,\n" +
    "and prints the keys of its funded accounts. Its chain is stored in DATA_DIR/devnet.",
  options: {
    port: {
      kind: "number",
      description: "port of the node (default: 7900, or any free ones if this or the next is taken)",
    },
    "zmq-port": { kind: "number", description: "port of the ZeroMQ publisher (default: 7902)" },
  },
  settings: ["DATA_DIR", "devnet", "log"],
  async run(settings, options) {
    const log = createLog("devnet", settings);
    return runUntilStopped(log, async (parts) => {
      const start = (ports: { port: number; zmqPort: number }) =>
        startDevnet({
          dataDirectory: path.resolve(settings.DATA_DIR, "devnet"),
          ...ports,
          blockMs: settings.DEVNET_BLOCK_MS,
          seed: settings.DEVNET_SEED,
          ...(settings.DEVNET_RULES === "main-network" && { rules: MAIN_NETWORK_RULES }),
          log,
        });
      const devnet = await startOnPorts(start, options as GivenPorts).catch(explain);
      parts.add("devnet", () => devnet.stop());
      const generationHashSeed = hex(devnet.generationHashSeed);
      const { port, zmqEndpoint = "", resourcesDirectory } = devnet;
      log.info({ port, zmqEndpoint, resourcesDirectory, generationHashSeed }, "Listening");
      const accounts = devnet.accounts.map(({ name, address, publicKey, privateKey, balance }) => ({
        name,
        address: encodeAddress(address),
        publicKey: hex(publicKey),
        privateKey: hex(privateKey),
        balance: String(balance),
      }));
      if (process.connected)
        reportReady(log, { port, zmqEndpoint, resourcesDirectory, accounts } satisfies RunningDevnet);
      else process.stdout.write(`\n${developmentAccounts(accounts)}\n\n`);
    });
  },
};

interface GivenPorts {
  readonly port?: number;
  readonly "zmq-port"?: number;
}

/** On the given ports, or else on the usual ones, or on any free ones beside a node of this machine. */
async function startOnPorts(start: (ports: { port: number; zmqPort: number }) => Promise<Devnet>, given: GivenPorts) {
  const { port = DEVNET_PORTS.port, "zmq-port": zmqPort = DEVNET_PORTS.zmqPort } = given;
  if (given["zmq-port"] !== undefined) await checkPort("127.0.0.1", zmqPort, "--zmq-port");
  if (given.port !== undefined) return listening(start({ port, zmqPort }), "--port", port);
  return start({ port, zmqPort }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    return start({ port: 0, zmqPort: 0 });
  });
}

/** The operator can fix a folder of another devnet. */
function explain(error: unknown): never {
  if (error instanceof CertificateError) {
    const hint =
      "Set DEVNET_SEED to its value when the folder was created, set DATA_DIR to another folder, or delete the folder.";
    throw new UsageError(`${error.message}. ${hint}`, { cause: error });
  }
  if (error instanceof ChainFileError) {
    const hint =
      "Set DEVNET_SEED and DEVNET_RULES to their values then, set DATA_DIR to another folder, or delete this one";
    throw new UsageError(`${error.message}. ${hint} (also after an upgrade that changes the rules).`, { cause: error });
  }
  throw error;
}
