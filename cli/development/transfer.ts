import { setTimeout as wait } from "node:timers/promises";
import { Hash256, PrivateKey } from "symbol-sdk";
import { Address, descriptors, models, Network, SymbolFacade } from "symbol-sdk/symbol";
import { decodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import { LANGUAGES } from "../../gateway/languages/languages.js";
import type { RestClient } from "./rest-client.js";

/** A requested transfer. */
export interface TransferOrder {
  /** 32 bytes. */
  readonly privateKey: Buffer;
  /** 24 bytes. */
  readonly recipientAddress: Buffer;
  /** Whole units with decimals, such as `1.5`. */
  readonly amount: string;
  /** By default the network's currency. */
  readonly mosaicId?: bigint | undefined;
  readonly message?: string | undefined;
}

/** A signed transaction, ready to be announced. */
export interface PreparedTransfer {
  /** Upper-case hex. */
  readonly payload: string;
  readonly hash: string;
  /** Maximum fee, atomic units of the currency. */
  readonly maxFee: bigint;
  /** The id of the currency, 16 hex digits. */
  readonly currencyId: string;
}

/** A transfer that cannot be created, or was rejected by the network; the message says why. */
export class TransferError extends Error {
  override readonly name = "TransferError";
}

interface NetworkProperties {
  readonly network: { readonly epochAdjustment: string };
  readonly chain: { readonly currencyMosaicId: string; readonly defaultDynamicFeeMultiplier: string };
}

interface NodeInfo {
  readonly networkIdentifier: number;
  readonly networkGenerationHashSeed: string;
}

interface TransactionStatus {
  readonly group: "failed" | "unconfirmed" | "partial" | "confirmed";
  readonly code?: string;
  readonly height?: string;
}

const DEADLINE_SECONDS = 2 * 60 * 60;
const POLL_MS = 250;

/**
 * Builds and signs a transfer for the network of a gateway.
 * @throws RestError, and TransferError for an invalid amount or mosaic
 */
export async function prepareTransfer(order: TransferOrder, gateway: RestClient): Promise<PreparedTransfer> {
  const [node, { network, chain }, fees] = await Promise.all([
    gateway.get<NodeInfo>("/node/info"),
    gateway.get<NetworkProperties>("/network/properties"),
    gateway.get<{ minFeeMultiplier: number; medianFeeMultiplier: number }>("/network/fees/transaction"),
  ]);
  const facade = new SymbolFacade(
    new Network(
      "gateway",
      node.networkIdentifier,
      new Date(Number.parseInt(network.epochAdjustment, 10) * 1000),
      new Hash256(node.networkGenerationHashSeed),
    ),
  );
  const mosaicId = order.mosaicId ?? numberOf(chain.currencyMosaicId);
  const amount = await atomicUnits(order.amount, mosaicId, gateway);
  const account = facade.createAccount(new PrivateKey(new Uint8Array(order.privateKey)));
  // a plain message begins with a zero byte
  const message = order.message === undefined ? undefined : new Uint8Array(Buffer.from(`\0${order.message}`));
  const descriptor = new descriptors.TransferTransactionV1Descriptor(
    new Address(new Uint8Array(order.recipientAddress)),
    [new descriptors.UnresolvedMosaicDescriptor(new models.UnresolvedMosaicId(mosaicId), new models.Amount(amount))],
    message,
  );
  const feeMultiplier = Math.max(
    fees.minFeeMultiplier,
    fees.medianFeeMultiplier,
    Number(numberOf(chain.defaultDynamicFeeMultiplier)),
  );
  const transaction = facade.createTransactionFromTypedDescriptor(
    descriptor,
    account.publicKey,
    feeMultiplier,
    DEADLINE_SECONDS,
  );
  transaction.signature = new models.Signature(account.signTransaction(transaction).bytes);
  return {
    payload: hex(transaction.serialize()),
    hash: facade.hashTransaction(transaction).toString(),
    maxFee: BigInt(transaction.fee.value),
    currencyId: idText(numberOf(chain.currencyMosaicId)),
  };
}

/**
 * Waits until a transaction is in a block.
 * @param onGroup called when it becomes unconfirmed
 * @returns the height of the block
 * @throws TransferError with the network's code if it is rejected, or if it is not confirmed after `timeoutMs`
 */
export async function waitForConfirmation(
  hash: string,
  gateway: RestClient,
  { timeoutMs, onUnconfirmed }: { timeoutMs: number; onUnconfirmed: () => void },
): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  let wasUnconfirmed = false;
  while (Date.now() < deadline) {
    const status = await gateway.find<TransactionStatus>(`/transactionStatus/${hash}`);
    if (status?.group === "confirmed") return status.height ?? "";
    if (status?.group === "failed") throw rejectedBy(status.code);
    if (status?.group === "unconfirmed" && !wasUnconfirmed) onUnconfirmed();
    wasUnconfirmed ||= status?.group === "unconfirmed";
    await wait(POLL_MS);
  }
  const words = wasUnconfirmed ? "is still unconfirmed" : "is still unknown";
  throw new TransferError(`The transaction ${words} after ${timeoutMs / 1000} s.`);
}

/** The error for a transaction that failed, with the sentence of its code. */
function rejectedBy(code = "Failure"): TransferError {
  const sentences: Readonly<Record<string, string>> = LANGUAGES.en.failures;
  return new TransferError(["The network rejected it:", sentences[code], `(${code})`].filter(Boolean).join(" "));
}

/** Parses an address. @throws TransferError if it is invalid */
export function readAddress(text: string): Buffer {
  try {
    return decodeAddress(text.replaceAll("-", ""));
  } catch {
    throw new TransferError(`${text} is neither an address nor the name of a devnet account.`);
  }
}

async function atomicUnits(amount: string, mosaicId: bigint, gateway: RestClient): Promise<bigint> {
  const id = idText(mosaicId);
  const found = await gateway.find<{ mosaic: { divisibility: number } }>(`/mosaics/${id}`);
  if (!found) throw new TransferError(`There is no mosaic ${id}.`);
  const { divisibility } = found.mosaic;
  const [whole = "", decimals = ""] = amount.split(".");
  if (decimals.length > divisibility)
    throw new TransferError(`Mosaic ${id} has ${divisibility} decimals, ${amount} has ${decimals.length}.`);
  return BigInt(whole + decimals.padEnd(divisibility, "0"));
}

/** Parses a number of a node's properties: `0x72C0'212E'67A0'8BCE` or `1'000`. */
function numberOf(text: string): bigint {
  return BigInt(text.replaceAll("'", ""));
}
