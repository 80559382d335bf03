import { isDeepStrictEqual } from "node:util";
import { endpoint } from "../standard/endpoint.js";
import { MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import { ConstructionPayloadsRequest, type ConstructionPayloadsResponse, type Operation } from "../standard/schemas.js";
import { buildTransaction } from "./build.js";
import type { Decimals } from "./currency.js";
import { type DecodedTransaction, decodeBuilt, nextSigners, presentSigners } from "./decode.js";
import { unsignedCosignature } from "./detached-cosignature.js";
import type { HashLockIntent, TransfersIntent } from "./intent.js";
import { NoMetadata, readStrictly } from "./operation-metadata.js";
import { type KeyOf, keysByAddress } from "./public-keys.js";
import { readOperations } from "./read-operations.js";
import { signingPayload } from "./signing-payloads.js";
import { CosigningMetadata, TransactionMetadata } from "./terms.js";
import { readTransactionText, type TransactionText, writeTransactionText } from "./transaction-text.js";
import { writeOperations } from "./write-operations.js";

/**
 * The unsigned transaction, and what is to be signed now. Cosigners sign the hash of the aggregate, which covers the
 * signature of its signer: so they have a second round, with the transaction that this signer has signed.
 */
export const payloads = endpoint<typeof ConstructionPayloadsRequest, ConstructionPayloadsResponse>({
  path: "/construction/payloads",
  request: ConstructionPayloadsRequest,
  answer: ({ operations, metadata = {}, public_keys: keys = [] }, { network }) => {
    const { intent, decimals } = readOperations(operations, network);
    const keyOf = keysByAddress(keys, network);
    if (intent.kind === "cosignature") {
      readStrictly(NoMetadata, metadata, "metadata");
      const { text, signing } = unsignedCosignature(intent, keyOf);
      return { unsigned_transaction: writeTransactionText(text), payloads: [signingPayload(signing)] };
    }
    if ("signed_transaction" in metadata) {
      const { signed_transaction: signed } = readStrictly(CosigningMetadata, metadata, "metadata");
      return secondRound(signed, writeOperations(intent, network, decimals), network);
    }
    return firstRound({ intent, decimals }, metadata, keyOf, network);
  },
});

function firstRound(
  { intent, decimals }: { intent: TransfersIntent | HashLockIntent; decimals: Decimals },
  metadata: unknown,
  keyOf: KeyOf,
  network: NetworkFacts,
): ConstructionPayloadsResponse {
  const terms = readStrictly(TransactionMetadata, metadata, "metadata");
  const { aggregate, aggregate_version: aggregateVersion } = terms;
  const deadline = BigInt(terms.deadline);
  const now = BigInt(Date.now() - network.epochAdjustment);
  if (deadline <= now) {
    throw new MeshError("invalidDeadline", {
      member: "metadata.deadline",
      problem: `${deadline} is past: it is ${now}`,
    });
  }
  const payload = buildTransaction(
    intent,
    { maxFee: BigInt(terms.max_fee), deadline, aggregate, aggregateVersion },
    { keyOf, network: network.addressPrefix },
  );
  return unsigned({ kind: "transaction", payload, decimals }, decodeBuilt(payload, decimals, network));
}

function secondRound(
  signed: string,
  operations: readonly Operation[],
  network: NetworkFacts,
): ConstructionPayloadsResponse {
  const text = readTransactionText(signed);
  if (text.kind === "cosignature") throw new MeshError("invalidTransaction", { problem: "it is a cosignature" });
  const transaction = decodeBuilt(text.payload, text.decimals, network);
  presentSigners(transaction);
  if (isDeepStrictEqual(transaction.operations, operations)) return unsigned(text, transaction);
  throw new MeshError("invalidTransaction", {
    member: "metadata.signed_transaction",
    problem: "it has other operations",
  });
}

function unsigned(text: TransactionText, transaction: DecodedTransaction): ConstructionPayloadsResponse {
  const next = nextSigners(transaction);
  if (next.length === 0) throw new MeshError("invalidTransaction", { problem: "all signatures are present" });
  return { unsigned_transaction: writeTransactionText(text), payloads: next.map(signingPayload) };
}
