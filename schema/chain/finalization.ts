import { renderFinalizationProof } from "../../catapult/json/finalization-proof.js";
import {
  decodeFinalizationProof,
  type FinalizationMessageGroup,
  type FinalizationSignature,
  type FinalizationSignaturePart,
  type FinalizationProof as Proof,
} from "../../catapult/wire/finalization.js";
import { invalidArgument } from "../errors/errors.js";
import { bodyField } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { blockField } from "../graph/joins.js";
import { members } from "../graph/members.js";

/** Epochs have 4 bytes in the node's protocol. */
const MAX_EPOCH = 2 ** 32 - 1;

const SignaturePart = builder.objectRef<FinalizationSignaturePart>("FinalizationSignaturePart").implement({
  description: "A public key and its signature.",
  fields: (t) =>
    members(t, {
      parentPublicKey: ["PublicKey", "Public key of the signer."],
      signature: ["Hex", "Signature by that key."],
    }),
});

const Signature = builder.objectRef<FinalizationSignature>("FinalizationSignature").implement({
  description: "Signature of a voter: the root part certifies the key of the bottom part.",
  fields: (t) =>
    members(t, {
      root: [SignaturePart, "Signature by the voting key."],
      bottom: [SignaturePart, "Signature by the key of this vote."],
    }),
});

const MessageGroup = builder.objectRef<FinalizationMessageGroup>("FinalizationMessageGroup").implement({
  description: "Votes for the same blocks.",
  fields: (t) =>
    members(t, {
      stage: ["Int", "0 prevote, 1 precommit, 2 count."],
      height: ["SafeInt", "Height of the first hash."],
      hashes: [["Hash256"], "Hashes of the blocks voted for, from that height on."],
      signatures: [[Signature], "Signatures of the voters."],
    }),
});

const FinalizationProof = builder.objectRef<Proof>("FinalizationProof").implement({
  description: "The votes that finalized a block, from the node.",
  fields: (t) => ({
    ...members(t, {
      version: ["Int", "Version of the proof's layout."],
      finalizationEpoch: ["SafeInt", "Finalization epoch of the vote.", "epoch"],
      finalizationPoint: ["SafeInt", "Finalization point: the voting round in the epoch.", "point"],
      height: ["SafeInt", "Height of the finalized block."],
      hash: ["Hash256", "Hash of the finalized block."],
      messageGroups: [[MessageGroup], "Votes, grouped by blocks."],
    }),
    block: blockField(t, "The block of the event; null if the index has not reached it.", ({ height }) => height),
    body: bodyField(t, renderFinalizationProof),
  }),
});

builder.queryField("finalizationProof", (t) =>
  t.field({
    type: FinalizationProof,
    nullable: true,
    description:
      "Finalization proof of an epoch's last finalized block, or of the block at a height: specify one of both.",
    args: {
      epoch: t.arg({ description: "From 1.", type: "SafeInt" }),
      height: t.arg({ description: "Height of any finalized block.", type: "SafeInt" }),
    },
    resolve: async (_root, { epoch, height }, { node }) => {
      if ((epoch == null) === (height == null)) throw invalidArgument("either epoch or height must be given");
      if (epoch != null && epoch > MAX_EPOCH) return null;
      const proof =
        epoch != null
          ? await node.finalizationProofAtEpoch(epoch)
          : await node.finalizationProofAtHeight(height as number);
      return proof ? decodeFinalizationProof(proof, node.connectedNode?.node) : null;
    },
  }),
);
