import type { FailureName } from "../../catapult/announcement/status-code.js";
import { type VrfKeyCheck, type VrfProof, verifyVrfProof } from "../../catapult/crypto/vrf.js";
import type { NetworkConfig } from "../config/network-config.js";
import type { ChainTables } from "./chain-tables.js";

const NO_KEY = Buffer.alloc(32);

/** A block's claim about its generation hash. */
export interface GenerationClaim {
  readonly height: number;
  readonly signerAddress: Buffer;
  readonly proof: VrfProof;
  /** The parent's generation hash, 32 bytes. */
  readonly parentGenerationHash: Buffer;
}

/** The key and data to verify a generation hash proof. */
export interface ProofKey {
  /** The VRF key of the account that harvests, or of its main account; zeros if it has none. */
  readonly publicKey: Buffer;
  readonly check: VrfKeyCheck;
}

/**
 * The key for the proof of block `height`, from the state of its parent; undefined if the signer's public key is not
 * known.
 */
export function proofKeyOf(
  { height, signerAddress }: Pick<GenerationClaim, "height" | "signerAddress">,
  { accounts }: ChainTables,
  { forkHeights: { strictVrfPublicKeyCheck } }: NetworkConfig,
): ProofKey | undefined {
  // An account that never signed anything is not found: the reference looks it up by its public key.
  if ((accounts.get(signerAddress)?.publicKeyHeight ?? 0) === 0) return undefined;
  const isStrict = strictVrfPublicKeyCheck !== undefined && height >= strictVrfPublicKeyCheck;
  const publicKey = accounts.forwarded(signerAddress).vrfPublicKey ?? NO_KEY;
  return { publicKey, check: isStrict ? "strict" : "lenient" };
}

/**
 * Why a block's generation hash proof is invalid on the state of its parent; undefined if it is valid. Not for the
 * first block. Source: `CheckGenerationHash` in catapult's `consumers/BlockchainProcessor.cpp`.
 */
export function checkGenerationProof(
  claim: GenerationClaim,
  tables: ChainTables,
  config: NetworkConfig,
): FailureName | undefined {
  const key = proofKeyOf(claim, tables, config);
  if (!key) return "Failure_Chain_Block_Unknown_Signer";
  const value = verifyVrfProof(claim.proof, claim.parentGenerationHash, key.publicKey, key.check);
  return value ? undefined : "Failure_Chain_Block_Invalid_Vrf_Proof";
}
