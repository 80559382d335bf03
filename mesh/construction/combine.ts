import { endpoint } from "../standard/endpoint.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import { ConstructionCombineRequest, type ConstructionCombineResponse } from "../standard/schemas.js";
import { decodeBuilt, nextSigners, presentSigners } from "./decode.js";
import { decodeCosignature, signCosignature } from "./detached-cosignature.js";
import { signaturesOf } from "./signing-payloads.js";
import { readTransactionText, writeTransactionText } from "./transaction-text.js";

/** Adds signatures to a transaction: that of its signer, or any of those of its cosigners. */
export const combine = endpoint<typeof ConstructionCombineRequest, ConstructionCombineResponse>({
  path: "/construction/combine",
  request: ConstructionCombineRequest,
  answer: ({ unsigned_transaction: unsigned, signatures }, { network }) => {
    if (signatures.length === 0) throw invalidMember("signatures", "must not be empty");
    const text = readTransactionText(unsigned);
    if (text.kind === "cosignature") {
      const decoded = decodeCosignature(text.cosignature, network);
      if (decoded.signature) throw allPresent();
      const [signature] = signaturesOf([decoded], signatures).values();
      return {
        signed_transaction: writeTransactionText({
          ...text,
          cosignature: signCosignature(text.cosignature, signature!),
        }),
      };
    }
    const transaction = decodeBuilt(text.payload, text.decimals, network);
    presentSigners(transaction);
    const next = nextSigners(transaction);
    if (next.length === 0) throw allPresent();
    const payload = Buffer.from(text.payload);
    for (const [{ offset }, signature] of signaturesOf(next, signatures)) {
      signature.copy(payload, offset);
    }
    return { signed_transaction: writeTransactionText({ ...text, payload }) };
  },
});

function allPresent(): MeshError {
  return new MeshError("invalidTransaction", { problem: "all signatures are present" });
}
