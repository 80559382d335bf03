import { renderFinalizationProof } from "../../catapult/json/finalization-proof.js";
import {
  decodeFinalizationProof,
  type FinalizationMessageGroup,
  type FinalizationSignature,
  type FinalizationSignaturePart,
  type FinalizationProof as Proof,
} from "../../catapult/wire/finalization.js";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";
import { invalidArgument } from "../services/errors.js";

/** Epochs have 4 bytes in the node's language. */
const MAX_EPOCH = 2 ** 32 - 1;

const SignaturePart = builder.objectRef<FinalizationSignaturePart>("FinalizationSignaturePart").implement({
  description: "A key, and what it signed for.",
  fields: (t) => ({
    parentPublicKey: t.expose("parentPublicKey", { description: "The key that signed.", type: "PublicKey" }),
    signature: t.expose("signature", { description: "Its signature.", type: "Hex" }),
  }),
});

const Signature = builder.objectRef<FinalizationSignature>("FinalizationSignature").implement({
  description: "Signature of a voter: the root part vouches for the key of the bottom part.",
  fields: (t) => ({
    root: t.field({ description: "By the voting key.", type: SignaturePart, resolve: ({ root }) => root }),
    bottom: t.field({ description: "By the key of this vote.", type: SignaturePart, resolve: ({ bottom }) => bottom }),
  }),
});

const MessageGroup = builder.objectRef<FinalizationMessageGroup>("FinalizationMessageGroup").implement({
  description: "Votes for the same blocks.",
  fields: (t) => ({
    stage: t.exposeInt("stage", { description: "0 prevote, 1 precommit, 2 count." }),
    height: t.expose("height", { type: "SafeInt", description: "Of the first hash." }),
    hashes: t.field({
      description: "Of the blocks voted for, from that height on.",
      type: ["Hash256"],
      resolve: ({ hashes }) => hashes,
    }),
    signatures: t.field({ description: "By the voters.", type: [Signature], resolve: ({ signatures }) => signatures }),
  }),
});

export const FinalizationProof = builder.objectRef<Proof>("FinalizationProof").implement({
  description: "The votes by which a block became final, as the node gives them.",
  fields: (t) => ({
    version: t.exposeInt("version", { description: "Of the proof's layout." }),
    finalizationEpoch: t.expose("epoch", { description: "In which was voted.", type: "SafeInt" }),
    finalizationPoint: t.expose("point", { description: "The round of votes in the epoch.", type: "SafeInt" }),
    height: t.expose("height", { description: "Of the block.", type: "SafeInt" }),
    hash: t.expose("hash", { description: "Of the block.", type: "Hash256" }),
    messageGroups: t.field({
      description: "The votes.",
      type: [MessageGroup],
      resolve: ({ messageGroups }) => messageGroups,
    }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderFinalizationProof }),
  }),
});

builder.queryField("finalizationProof", (t) =>
  t.field({
    type: FinalizationProof,
    extensions: heavy,
    nullable: true,
    description: "The proof of an epoch's last finalized block, or of the block at a height: give one of both.",
    args: {
      epoch: t.arg({ description: "From 1.", type: "SafeInt" }),
      height: t.arg({ description: "Of any block that is final.", type: "SafeInt" }),
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
