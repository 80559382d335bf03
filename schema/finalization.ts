import {
  decodeFinalizationProof,
  type FinalizationMessageGroup,
  type FinalizationProof,
  type FinalizationSignature,
  type FinalizationSignaturePart,
} from "../catapult/finalization.js";
import { renderFinalizationProof } from "../catapult/json/finalization-proof.js";
import { builder } from "./builder.js";
import { invalidArgument } from "./errors.js";

/** Epochs have 4 bytes in the node's language. */
const MAX_EPOCH = 2 ** 32 - 1;

const SignaturePart = builder.objectRef<FinalizationSignaturePart>("FinalizationSignaturePart").implement({
  fields: (t) => ({
    parentPublicKey: t.expose("parentPublicKey", { type: "PublicKey" }),
    signature: t.expose("signature", { type: "Hex" }),
  }),
});

const Signature = builder.objectRef<FinalizationSignature>("FinalizationSignature").implement({
  description: "Signature of a voter: the root part vouches for the key of the bottom part.",
  fields: (t) => ({
    root: t.field({ type: SignaturePart, resolve: ({ root }) => root }),
    bottom: t.field({ type: SignaturePart, resolve: ({ bottom }) => bottom }),
  }),
});

const MessageGroup = builder.objectRef<FinalizationMessageGroup>("FinalizationMessageGroup").implement({
  description: "Votes for the same blocks.",
  fields: (t) => ({
    stage: t.exposeInt("stage", { description: "0 prevote, 1 precommit, 2 count." }),
    height: t.expose("height", { type: "SafeInt", description: "Of the first hash." }),
    hashes: t.field({ type: ["Hash256"], resolve: ({ hashes }) => hashes }),
    signatures: t.field({ type: [Signature], resolve: ({ signatures }) => signatures }),
  }),
});

const Proof = builder.objectRef<FinalizationProof>("FinalizationProof").implement({
  description: "The votes by which a block became final, as the node gives them.",
  fields: (t) => ({
    version: t.exposeInt("version"),
    finalizationEpoch: t.expose("epoch", { type: "SafeInt" }),
    finalizationPoint: t.expose("point", { type: "SafeInt" }),
    height: t.expose("height", { type: "SafeInt" }),
    hash: t.expose("hash", { type: "Hash256" }),
    messageGroups: t.field({ type: [MessageGroup], resolve: ({ messageGroups }) => messageGroups }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderFinalizationProof }),
  }),
});

builder.queryField("finalizationProof", (t) =>
  t.field({
    type: Proof,
    nullable: true,
    description: "The proof of an epoch's last finalized block, or of the block at a height: give one of both.",
    args: { epoch: t.arg({ type: "SafeInt" }), height: t.arg({ type: "SafeInt" }) },
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
