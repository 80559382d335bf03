import { verifySignature } from "../crypto/signature.js";
import { VERIFIABLE } from "../entity/entity-layout.js";
import { transactionSigningBytes } from "../entity/hashes.js";
import { hex } from "../entity/hex.js";
import type { BlockTransaction, NetworkIdentity } from "../entity/model.js";
import { PUBLIC_NETWORKS } from "../network/public-networks.js";

/** Usual mistakes of signing: the seed, and whose it is. */
const OTHERS: readonly (readonly [Buffer, string])[] = [
  [Buffer.alloc(0), "without a generation hash seed"],
  [Buffer.alloc(32), "with a generation hash seed of zeros"],
  ...PUBLIC_NETWORKS.map(
    ({ generationHashSeed, description }) =>
      [generationHashSeed, `for the ${description} (generation hash seed ${hex(generationHashSeed)})`] as const,
  ),
];

/**
 * For a transaction with an invalid signature: what it was signed for instead, and which seed is right; undefined if it
 * was signed for none of the known networks.
 */
export function wrongSeed({ bytes }: BlockTransaction, network: NetworkIdentity): string | undefined {
  const signerPublicKey = bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  const signature = bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
  const mistake = OTHERS.find(([generationHashSeed]) =>
    verifySignature(signerPublicKey, transactionSigningBytes(bytes, { ...network, generationHashSeed }), signature),
  );
  return mistake && `it was signed ${mistake[1]}; the seed of this network is ${hex(network.generationHashSeed)}`;
}
