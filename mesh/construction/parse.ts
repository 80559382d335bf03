import { hex } from "../../catapult/entity/hex.js";
import { endpoint } from "../standard/endpoint.js";
import { MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import { ConstructionParseRequest, type ConstructionParseResponse } from "../standard/schemas.js";
import type { Decimals } from "./currency.js";
import { decodeBuilt, missingSigners, presentSigners } from "./decode.js";
import { decodeCosignature } from "./detached-cosignature.js";
import { buildAccounts } from "./signing-payloads.js";
import { readTransactionText } from "./transaction-text.js";
import { writeOperations } from "./write-operations.js";

/** The operations of a transaction, and if it is signed who signed it. */
export const parse = endpoint<typeof ConstructionParseRequest, ConstructionParseResponse>({
  path: "/construction/parse",
  request: ConstructionParseRequest,
  answer: ({ transaction, signed }, { network }) => {
    const text = readTransactionText(transaction);
    return text.kind === "cosignature"
      ? parseCosignature(text.cosignature, signed, network)
      : parseTransaction(text, signed, network);
  },
});

function parseTransaction(
  { payload, decimals }: { readonly payload: Buffer; readonly decimals: Decimals },
  signed: boolean,
  network: NetworkFacts,
): ConstructionParseResponse {
  const transaction = decodeBuilt(payload, decimals, network);
  const present = presentSigners(transaction);
  if (signed && present.length === 0) throw notSigned();
  const { operations, aggregate, maxFee, deadline, hash } = transaction;
  return {
    operations,
    account_identifier_signers: signed ? buildAccounts(present) : [],
    metadata: {
      ...(aggregate && { aggregate }),
      max_fee: String(maxFee),
      deadline: String(deadline),
      ...(present.length > 0 && { hash: hex(hash) }),
      missing_signers: buildAccounts(missingSigners(transaction)),
    },
  };
}

function parseCosignature(bytes: Buffer, signed: boolean, network: NetworkFacts): ConstructionParseResponse {
  const { address, aggregateHash, signature } = decodeCosignature(bytes, network);
  if (signed && !signature) throw notSigned();
  return {
    operations: writeOperations({ kind: "cosignature", cosigner: address, aggregateHash }, network, new Map()),
    account_identifier_signers: signed ? buildAccounts([{ address }]) : [],
    metadata: { missing_signers: signature ? [] : buildAccounts([{ address }]) },
  };
}

function notSigned(): MeshError {
  return new MeshError("missingSignature", { problem: "the transaction is not signed" });
}
