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

/** Epochs have 4 bytes in the node's protocol. */
const MAX_EPOCH = 2 ** 32 - 1;

const SignaturePart = builder.objectRef<FinalizationSignaturePart>("FinalizationSignaturePart").implement({
  description: "A public key and its signature.",
  fields: (t) => ({
    parentPublicKey: t.expose("parentPublicKey", { description: "Public key of the signer.", type: "PublicKey" }),
    signature: t.expose("signature", { description: "Signature by that key.", type: "Hex" }),
  }),
});

const Signature = builder.objectRef<FinalizationSignature>("FinalizationSignature").implement({
  description: "Signature of a voter: the root part certifies the key of the bottom part.",
  fields: (t) => ({
    root: t.field({ description: "Signature by the voting key.", type: SignaturePart, resolve: ({ root }) => root }),
    bottom: t.field({
      description: "Signature by the key of this vote.",
      type: SignaturePart,
      resolve: ({ bottom }) => bottom,
    }),
  }),
});

const MessageGroup = builder.objectRef<FinalizationMessageGroup>("FinalizationMessageGroup").implement({
  description: "Votes for the same blocks.",
  fields: (t) => ({
    stage: t.exposeInt("stage", { description: "0 prevote, 1 precommit, 2 count." }),
    height: t.field({
      type: "SafeInt",
      description: "Height of the first hash.",
      resolve: ({ height }) => Number(height),
    }),
    hashes: t.field({
      description: "Hashes of the blocks voted for, from that height on.",
      type: ["Hash256"],
      resolve: ({ hashes }) => hashes,
    }),
    signatures: t.field({
      description: "Signatures of the voters.",
      type: [Signature],
      resolve: ({ signatures }) => signatures,
    }),
  }),
});

export const FinalizationProof = builder.objectRef<Proof>("FinalizationProof").implement({
  description: "The votes that finalized a block, from the node.",
  fields: (t) => ({
    version: t.exposeInt("version", { description: "Version of the proof's layout." }),
    finalizationEpoch: t.expose("epoch", { description: "Finalization epoch of the vote.", type: "SafeInt" }),
    finalizationPoint: t.expose("point", {
      description: "Finalization point: the voting round in the epoch.",
      type: "SafeInt",
    }),
    height: t.expose("height", { description: "Height of the finalized block.", type: "SafeInt" }),
    hash: t.expose("hash", { description: "Hash of the finalized block.", type: "Hash256" }),
    messageGroups: t.field({
      description: "Votes, grouped by blocks.",
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
