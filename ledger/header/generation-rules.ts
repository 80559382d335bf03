import { type VrfKeyCheck, type VrfProof, verifyVrfProof } from "../../catapult/crypto/vrf.js";
import type { Block } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import type { ChainState } from "../engine/chain-state.js";
import { importanceFor } from "../tables/importance.js";
import type { BlockStatistic } from "./difficulty.js";
import { computeHit, computeTarget } from "./hit.js";

const NO_KEY = Buffer.alloc(32);

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
export function findProofKey(
  { height, signerAddress }: Pick<Block, "height" | "signerAddress">,
  { accounts }: ChainState["tables"],
  { forkHeights: { strictVrfPublicKeyCheck } }: ChainState["config"],
): ProofKey | undefined {
  // An account that never signed anything is not found: the reference looks it up by its public key.
  if ((accounts.get(signerAddress)?.publicKeyHeight ?? 0) === 0) return undefined;
  const isStrict = strictVrfPublicKeyCheck !== undefined && height >= strictVrfPublicKeyCheck;
  const publicKey = accounts.forwarded(signerAddress).vrfPublicKey ?? NO_KEY;
  return { publicKey, check: isStrict ? "strict" : "lenient" };
}

/**
 * Requirements for the generation hash of a block from the state before it. Verifying them needs no state, and so can
 * be done elsewhere.
 */
export interface GenerationTerms {
  readonly key: ProofKey;
  /** The upper limit of the hit; undefined if the network does not verify hits. */
  readonly target: bigint | undefined;
}

/** A block's generation hash proof with all data to verify it. */
export interface ProofClaim {
  /** The height of the block. */
  readonly height: number;
  readonly proof: VrfProof;
  readonly key: ProofKey;
  /** 32 bytes. */
  readonly parentGenerationHash: Buffer;
}

/**
 * Requirements for the generation hash of the next block. A signer without an importance has a target of 0. Source: catapult's
 * `consumers/BlockchainProcessor.cpp`, `chain/BlockScorer.cpp`.
 *
 * @throws BlockRejectedError if the signer's public key is not known
 */
export function generationTerms(
  { height, signerAddress, timestamp, difficulty }: Block,
  parent: BlockStatistic,
  { tables, config }: ChainState,
): GenerationTerms {
  const key = findProofKey({ height, signerAddress }, tables, config);
  if (!key) throw new BlockRejectedError(height, "signerPublicKey", "is not known on the chain");
  if (!config.isHitVerified) return { key, target: undefined };
  const importance = importanceFor({ tables, config, height }, signerAddress);
  return { key, target: computeTarget(timestamp - parent.timestamp, difficulty, importance, config) };
}

/** The proof in a block's header, copied. */
export function readProof({ entity }: Pick<Block, "entity">): VrfProof {
  const { gamma, verificationHash, scalar } = entity.generationHashProof;
  return {
    gamma: Buffer.from(gamma),
    verificationHash: Buffer.from(verificationHash),
    scalar: Buffer.from(scalar),
  };
}

/** Whether a proof is valid, which takes 3 to 4 ms to find out. */
export function isProofValid({ proof, key, parentGenerationHash }: ProofClaim): boolean {
  return verifyVrfProof(proof, parentGenerationHash, key.publicKey, key.check) !== undefined;
}

/** @throws BlockRejectedError when a proof is invalid */
export function verifyProof(claim: ProofClaim): void {
  if (isProofValid(claim)) return;
  const { height } = claim;
  throw new BlockRejectedError(height, "generationHashProof", "is invalid (Failure_Chain_Block_Invalid_Vrf_Proof)");
}

/** Verifies that a generation hash (32 bytes) hits. @throws BlockRejectedError when its hit is not below the target */
export function verifyHit(
  { height, generationHash }: Pick<Block, "height" | "generationHash">,
  target: bigint | undefined,
): void {
  if (target === undefined) return;
  const hit = computeHit(generationHash);
  if (hit < target) return;
  throw new BlockRejectedError(height, "generationHash", `has hit ${hit}, which is not below the target ${target}`);
}
