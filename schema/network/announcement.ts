import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";

builder.mutationType({ description: "What is handed over to the network." });

const rejectionArguments = builder.args((t) => ({
  reportRejection: t.boolean({
    defaultValue: false,
    description:
      "Answer true to what can never be valid too, and report its rejection as the node does: as a status and its message.",
  }),
}));

const transactionArguments = (description: string) => ({
  ...builder.args((t) => ({ payload: t.field({ type: "Hex", required: true, description }) })),
  ...rejectionArguments,
});

const modeOf = (reportRejection: boolean | null | undefined) => (reportRejection ? "report" : "throw");

builder.mutationFields((t) => ({
  announceTransaction: t.boolean({
    extensions: heavy,
    description: "Announces a signed transaction. True says that the node's connection has taken it.",
    args: transactionArguments("The whole transaction."),
    resolve: async (_root, { payload, reportRejection }, { announcer }) => {
      await announcer.announceTransaction(payload, "transaction", modeOf(reportRejection));
      return true;
    },
  }),
  announcePartialTransaction: t.boolean({
    extensions: heavy,
    description: "Announces a bonded aggregate that waits for cosignatures.",
    args: transactionArguments("The whole aggregate, with those cosignatures that there are."),
    resolve: async (_root, { payload, reportRejection }, { announcer }) => {
      await announcer.announceTransaction(payload, "partial", modeOf(reportRejection));
      return true;
    },
  }),
  announceCosignature: t.boolean({
    extensions: heavy,
    description: "Announces a cosignature of a bonded aggregate that waits for it.",
    args: {
      parentHash: t.arg({ type: "Hash256", required: true, description: "Hash of the aggregate, which is signed." }),
      signerPublicKey: t.arg({ description: "Who cosigns.", type: "PublicKey", required: true }),
      signature: t.arg({ description: "Of that hash.", type: "Signature", required: true }),
      version: t.arg({ type: "UInt64", required: true, description: "0." }),
      ...rejectionArguments,
    },
    resolve: async (_root, { reportRejection, ...cosignature }, { announcer }) => {
      await announcer.announceCosignature(cosignature, modeOf(reportRejection));
      return true;
    },
  }),
}));
