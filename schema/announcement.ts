import { builder } from "./builder.js";

builder.mutationType({ description: "What is handed over to the network." });

const transactionPayload = (description: string) =>
  builder.args((t) => ({ payload: t.field({ type: "Hex", required: true, description }) }));

builder.mutationFields((t) => ({
  announceTransaction: t.boolean({
    description: "Announces a signed transaction. True says that the node's connection has taken it.",
    args: transactionPayload("The whole transaction."),
    resolve: async (_root, { payload }, { announcer }) => {
      await announcer.announceTransaction(payload, "transaction");
      return true;
    },
  }),
  announcePartialTransaction: t.boolean({
    description: "Announces a bonded aggregate that waits for cosignatures.",
    args: transactionPayload("The whole aggregate, with those cosignatures that there are."),
    resolve: async (_root, { payload }, { announcer }) => {
      await announcer.announceTransaction(payload, "partial");
      return true;
    },
  }),
  announceCosignature: t.boolean({
    description: "Announces a cosignature of a bonded aggregate that waits for it.",
    args: {
      parentHash: t.arg({ type: "Hash256", required: true, description: "Hash of the aggregate, which is signed." }),
      signerPublicKey: t.arg({ description: "Who cosigns.", type: "PublicKey", required: true }),
      signature: t.arg({ description: "Of that hash.", type: "Signature", required: true }),
      version: t.arg({ type: "UInt64", required: true, description: "0." }),
    },
    resolve: async (_root, cosignature, { announcer }) => {
      await announcer.announceCosignature(cosignature);
      return true;
    },
  }),
}));
