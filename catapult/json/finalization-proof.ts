import { z } from "zod";
import { hex } from "../entity/hex.js";
import {
  type BodyOf,
  FinalizationEpoch,
  FinalizationPoint,
  Hash256,
  Height,
  numberSchema,
  PublicKey,
  Signature,
} from "../values/scalars.js";
import type { FinalizationProof, FinalizationSignaturePart } from "../wire/finalization.js";
import { decimalText } from "./format.js";

const SignaturePair = z
  .object({
    parentPublicKey: PublicKey.describe("Public key that the signature belongs to."),
    signature: Signature.describe("Signature of the signer."),
  })
  .meta({ id: "ParentPublicKeySignaturePair" });

const MessageGroup = z
  .object({
    stage: numberSchema("StageEnum", [0, 1, 2], "0 prevote, 1 precommit, 2 count."),
    height: Height.describe("Height of the first hash."),
    hashes: z.array(Hash256).describe("Hashes of the blocks voted for, in ascending order of heights."),
    signatures: z
      .array(
        z
          .object({
            root: SignaturePair.describe("Signature of the bottom key by the voting key."),
            bottom: SignaturePair.describe("Signature of the vote by the bottom key."),
          })
          .meta({ id: "BmTreeSignature" }),
      )
      .describe("Signatures of the voters."),
  })
  .meta({ id: "MessageGroup", description: "Votes for the same blocks." });

export const FinalizationProofDTO = z
  .object({
    version: z.int().describe("Version of the layout."),
    finalizationEpoch: FinalizationEpoch,
    finalizationPoint: FinalizationPoint,
    height: Height.describe("Height of the block."),
    hash: Hash256.describe("Hash of the block."),
    messageGroups: z.array(MessageGroup).describe("Votes, grouped by what they are for."),
  })
  .meta({ id: "FinalizationProofDTO", description: "The votes by which a block was finalized." });

/** The REST body of a finalization proof. */
export type FinalizationProofBody = BodyOf<typeof FinalizationProofDTO>;

function signatureFields({ parentPublicKey, signature }: FinalizationSignaturePart) {
  return { parentPublicKey: hex(parentPublicKey), signature: hex(signature) };
}

/** The body of `/finalization/proof/…` (`FinalizationProofDTO`). */
export function renderFinalizationProof(proof: FinalizationProof): string {
  return JSON.stringify({
    version: proof.version,
    finalizationEpoch: proof.epoch,
    finalizationPoint: proof.point,
    height: decimalText(proof.height),
    hash: hex(proof.hash),
    messageGroups: proof.messageGroups.map((group) => ({
      stage: group.stage,
      height: decimalText(group.height),
      hashes: group.hashes.map(hex),
      signatures: group.signatures.map(({ root, bottom }) => ({
        root: signatureFields(root),
        bottom: signatureFields(bottom),
      })),
    })),
  } satisfies FinalizationProofBody);
}
