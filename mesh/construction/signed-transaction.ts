import { hex } from "../../catapult/entity/hex.js";
import { MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import { decodeBuilt, missingSigners, presentSigners } from "./decode.js";
import { type DetachedCosignature, decodeCosignature } from "./detached-cosignature.js";
import type { AggregateKind } from "./intent.js";
import { buildAccounts } from "./signing-payloads.js";
import { readTransactionText } from "./transaction-text.js";

/** A transaction that can be announced, if no signature is missing. */
export type SignedTransaction =
  | {
      readonly kind: "transaction";
      readonly payload: Buffer;
      readonly aggregate: AggregateKind | undefined;
      /** 32 bytes. */
      readonly hash: Buffer;
      /** Throws MeshError missingSignature. */
      readonly requireAll: () => void;
    }
  | (DetachedCosignature & { readonly kind: "cosignature"; readonly signature: Buffer });

/** @throws MeshError invalidTransaction, invalidSignature, or missingSignature without the first signature */
export function readSignedTransaction(signed: string, network: NetworkFacts): SignedTransaction {
  const text = readTransactionText(signed);
  if (text.kind === "cosignature") {
    const { signature, ...decoded } = decodeCosignature(text.cosignature, network);
    if (!signature) throw missing([decoded]);
    return { kind: "cosignature", ...decoded, signature };
  }
  const { payload, decimals } = text;
  const transaction = decodeBuilt(payload, decimals, network);
  const absent = missingSigners(transaction);
  if (presentSigners(transaction)[0] !== transaction.signers[0]) throw missing(absent);
  const { aggregate, hash } = transaction;
  const requireAll = () => {
    if (absent.length > 0) throw missing(absent);
  };
  return { kind: "transaction", payload, aggregate, hash, requireAll };
}

/** Its hash as identifier; a cosignature has that of its aggregate. */
export function makeIdentifier(signed: SignedTransaction): { readonly hash: string } {
  return { hash: hex(signed.kind === "cosignature" ? signed.aggregateHash : signed.hash) };
}

function missing(signers: readonly { readonly address: Buffer }[]): MeshError {
  return new MeshError("missingSignature", { missing_signers: buildAccounts(signers) });
}
