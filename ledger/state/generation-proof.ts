import type { FailureName } from "../../catapult/announcement/status-code.js";
import { type VrfProof, verifyVrfProof } from "../../catapult/crypto/vrf.js";
import type { ChainTables } from "./chain-tables.js";
import type { NetworkConfig } from "./network-config.js";

const NO_KEY = Buffer.alloc(32);

/** What a block says of its generation hash. */
export interface GenerationClaim {
  readonly height: number;
  readonly signerAddress: Buffer;
  readonly proof: VrfProof;
  /** The parent's generation hash, 32 bytes. */
  readonly parentGenerationHash: Buffer;
}

/**
 * Why a block's generation hash proof is wrong on the state of its parent; undefined if it is right. The key is that of the
 * account that harvests, or of its main account. Not for the first block.
 * Source: `CheckGenerationHash` in catapult's `consumers/BlockchainProcessor.cpp`.
 */
export function checkGenerationProof(
  { height, signerAddress, proof, parentGenerationHash }: GenerationClaim,
  { accounts }: ChainTables,
  { forkHeights: { strictVrfPublicKeyCheck } }: NetworkConfig,
): FailureName | undefined {
  if (!accounts.get(signerAddress)) return "Failure_Chain_Block_Unknown_Signer";
  const isStrict = strictVrfPublicKeyCheck !== undefined && height >= strictVrfPublicKeyCheck;
  const key = accounts.forwarded(signerAddress).vrfPublicKey ?? NO_KEY;
  const value = verifyVrfProof(proof, parentGenerationHash, key, isStrict ? "strict" : "lenient");
  return value ? undefined : "Failure_Chain_Block_Invalid_Vrf_Proof";
}
