import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import type { SimulationBody } from "../../catapult/json/simulation.js";
import { deriveDevnetKeys, FUNDED_NAMES, fundedSigners } from "../../devnet/network/keys.js";
import { Amounts } from "../development/amounts.js";
import { makeGatewayUrl } from "../development/gateway-url.js";
import { RestClient, RestError } from "../development/rest-client.js";
import { prepareTransfer, readAddress, TransferError, waitForConfirmation } from "../development/transfer.js";
import { didYouMean, UsageError } from "../process/usage-error.js";
import type { Settings } from "../settings/settings.js";
import type { Command, GivenOptions } from "./command.js";

const DEFAULT_SENDER = "alice";
const DEVNET_IDENTIFIER = 152;
const WAIT_MS = 120_000;

/** `symbol-gateway transfer` */
export const transferCommand: Command = {
  description:
    "Sends a transfer from one of the devnet's accounts to another account, through the REST interface of a gateway, and\n" +
    "waits until it is in a block. The keys of the accounts are derived from DEVNET_SEED. If PORT and DEVNET_SEED are not\n" +
    "set, those of the running npm start on DATA_DIR are used.\n" +
    `Accounts: ${FUNDED_NAMES.join(", ")}.`,
  settings: ["PORT", "HOST", "TLS_CERTIFICATE_FILE", "DATA_DIR", "DEVNET_SEED"],
  finds: ["gateway", "keys"],
  options: {
    to: { kind: "text", description: "recipient: an address, or the name of a devnet account" },
    amount: {
      kind: "text",
      description: "amount in whole units, such as 1.5",
      form: { pattern: /^\d{1,16}(\.\d{1,6})?$/, description: "a number such as 1.5" },
    },
    mosaic: {
      kind: "text",
      description: "id of the mosaic, 16 hex digits (default: the currency)",
      form: { pattern: /^(0x)?[0-9A-Fa-f]{16}$/, description: "16 hex digits" },
    },
    message: { kind: "text", description: "plain text message" },
    from: { kind: "text", description: `sender: the name of a devnet account (default: ${DEFAULT_SENDER})` },
    url: {
      kind: "text",
      description: "the gateway (default: the one on HOST and PORT)",
      form: { pattern: /^https?:\/\/\S+$/, description: "a URL such as http://localhost:3000" },
    },
    "dry-run": { kind: "flag", description: "only report what the transfer would change, and what it would cost" },
  },
  async run(settings, options) {
    const order = readOrder(settings, options);
    const gateway = new RestClient(String(options.url ?? makeGatewayUrl(settings)));
    try {
      const { payload, hash, maxFee, currencyId } = await prepareTransfer(order, gateway);
      if (options["dry-run"]) {
        const [simulated] = await gateway.post<SimulationBody[]>("/transactions/simulate", { payload });
        return simulated ? report(simulated, currencyId, gateway, namesOf(settings)) : 1;
      }
      const amounts = await Amounts.read([currencyId], gateway);
      const start = performance.now();
      await gateway.put("/transactions", { payload });
      print(`Announced ${hash}, maximum fee ${amounts.show(maxFee, currencyId)}.`);
      const height = await waitForConfirmation(hash, gateway, {
        timeoutMs: WAIT_MS,
        onUnconfirmed: () => print("Unconfirmed: waiting for a block."),
      });
      print(`Confirmed in block ${height}, after ${((performance.now() - start) / 1000).toFixed(1)} s.`);
      return 0;
    } catch (error) {
      if (!(error instanceof RestError || error instanceof TransferError)) throw error;
      const isAbsent = error instanceof RestError && error.status === undefined;
      const hint = isAbsent
        ? ". Start a gateway with npm start, set DATA_DIR to the folder of the one that runs, or specify one with --url."
        : "";
      process.stderr.write(`${error.message}${hint}\n`);
      return 1;
    }
  },
};

function readOrder(settings: Settings, { to, amount, from = DEFAULT_SENDER, mosaic, message }: GivenOptions) {
  if (to === undefined) throw new UsageError("--to is required: an address, or the name of a devnet account.");
  if (amount === undefined) throw new UsageError("--amount is required: an amount such as 1.5.");
  const signers = fundedSigners(deriveDevnetKeys(settings.DEVNET_SEED));
  const named = (name: unknown) => signers.find((signer) => signer.name === name)?.signer;
  const sender = named(from);
  if (!sender) {
    const hint = didYouMean(String(from), FUNDED_NAMES);
    throw new UsageError(`--from must be one of ${FUNDED_NAMES.join(", ")}, not ${JSON.stringify(from)}.${hint}`);
  }
  const recipient = named(to);
  try {
    return {
      privateKey: sender.privateKey,
      recipientAddress: recipient
        ? addressOfPublicKey(recipient.publicKey, DEVNET_IDENTIFIER)
        : readAddress(String(to)),
      amount: String(amount),
      mosaicId: mosaic === undefined ? undefined : BigInt(`0x${String(mosaic).replace(/^0x/, "")}`),
      message: message === undefined ? undefined : String(message),
    };
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    throw new UsageError(`${error.message}${didYouMean(String(to), FUNDED_NAMES)}`, { cause: error });
  }
}

/** The names of the devnet's accounts, by their addresses in base32. */
function namesOf({ DEVNET_SEED }: Settings): ReadonlyMap<string, string> {
  const signers = fundedSigners(deriveDevnetKeys(DEVNET_SEED));
  const addressOf = (publicKey: Buffer) => encodeAddress(addressOfPublicKey(publicKey, DEVNET_IDENTIFIER));
  return new Map(signers.map(({ name, signer }) => [addressOf(signer.publicKey), name]));
}

/** @returns the exit code: 0 if the transfer would succeed */
async function report(
  { code, reason, fee, balances }: SimulationBody,
  currencyId: string,
  gateway: RestClient,
  names: ReadonlyMap<string, string>,
): Promise<number> {
  const amounts = await Amounts.read([currencyId, ...balances.map(({ mosaicId }) => mosaicId)], gateway);
  print(`${code}${reason === undefined ? "" : `: ${reason}`}`);
  print(`Fee: ${amounts.show(fee.expected, currencyId)} at present, at most ${amounts.show(fee.maxFee, currencyId)}.`);
  for (const { address, mosaicId, before, after } of balances) {
    const text = encodeAddress(Buffer.from(address, "hex"));
    const name = names.get(text);
    const account = name === undefined ? text : `${name} (${text})`;
    print(`${account}: ${amounts.show(before, mosaicId)} -> ${amounts.show(after, mosaicId)}`);
  }
  return code === "Success" ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
