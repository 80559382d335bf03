import { hex } from "../../catapult/entity/hex.js";
import { toApiError } from "../../schema/errors/failure.js";
import { type Ask, endpoint } from "../standard/endpoint.js";
import { MeshError } from "../standard/errors.js";
import { ConstructionSubmitRequest, type TransactionIdentifierResponse } from "../standard/schemas.js";
import { makeIdentifier, readSignedTransaction, type SignedTransaction } from "./signed-transaction.js";

/** The only one. */
const COSIGNATURE_VERSION = "0";

/** Announces a transaction as REST does: success means that the node's connection has accepted the bytes. */
export const submit = endpoint<typeof ConstructionSubmitRequest, TransactionIdentifierResponse>({
  path: "/construction/submit",
  request: ConstructionSubmitRequest,
  operations: {
    complete: "mutation ($payload: Hex!) { announceTransaction(payload: $payload) }",
    bonded: "mutation ($payload: Hex!) { announcePartialTransaction(payload: $payload) }",
    cosignature: `mutation (
      $parentHash: Hash256!, $signerPublicKey: PublicKey!, $signature: Signature!, $version: UInt64!
    ) {
      announceCosignature(
        parentHash: $parentHash, signerPublicKey: $signerPublicKey, signature: $signature, version: $version
      )
    }`,
  },
  answer: async ({ signed_transaction: text }, { network, askNow }) => {
    const signed = readSignedTransaction(text, network);
    if (signed.kind === "transaction") signed.requireAll();
    try {
      await announce(signed, askNow);
    } catch (error) {
      throw asRejection(error);
    }
    return { transaction_identifier: makeIdentifier(signed) };
  },
});

async function announce(signed: SignedTransaction, askNow: Ask): Promise<void> {
  if (signed.kind === "transaction") {
    await askNow(signed.aggregate === "bonded" ? "bonded" : "complete", { payload: hex(signed.payload) });
    return;
  }
  const { aggregateHash, publicKey, signature } = signed;
  await askNow("cosignature", {
    parentHash: hex(aggregateHash),
    signerPublicKey: hex(publicKey),
    signature: hex(signature),
    version: COSIGNATURE_VERSION,
  });
}

/** What can never be valid is rejected before it is announced; other errors stay what they are. */
function asRejection(error: unknown): unknown {
  const { code, message } = toApiError(error);
  if (code !== "InvalidArgument") return error;
  const status = /\((Failure_\w+)\)$/.exec(message)?.[1];
  return new MeshError("transactionRejected", { problem: message, ...(status && { status }) }, { cause: error });
}
