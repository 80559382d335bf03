import type { AnnouncedBy } from "../dry-runs/announcer.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";

builder.mutationType({ description: "Announcements to the network." });

const rejectionArguments = builder.args((t) => ({
  reportRejection: t.boolean({
    defaultValue: false,
    description:
      "Whether to also return true for what can never be valid, and report its rejection as the node does: as a status and its message.",
  }),
}));

const transactionArguments = (description: string) => ({
  ...builder.args((t) => ({ payload: t.field({ type: "Hex", required: true, description }) })),
  ...rejectionArguments,
});

function announcedBy({ client }: Context, reportRejection: boolean | null | undefined): AnnouncedBy {
  return { client: client ?? "", rejection: reportRejection ? "report" : "throw" };
}

builder.mutationFields((t) => ({
  announceTransaction: t.boolean({
    description: "Announces a signed transaction. True means that the node's connection has accepted the bytes.",
    args: transactionArguments("Payload of the whole transaction."),
    resolve: async (_root, { payload, reportRejection }, context) => {
      await context.announcer.announceTransaction(payload, "transaction", announcedBy(context, reportRejection));
      return true;
    },
  }),
  announcePartialTransaction: t.boolean({
    description: "Announces a bonded aggregate with missing cosignatures.",
    args: transactionArguments("Payload of the whole aggregate, with its existing cosignatures."),
    resolve: async (_root, { payload, reportRejection }, context) => {
      await context.announcer.announceTransaction(payload, "partial", announcedBy(context, reportRejection));
      return true;
    },
  }),
  announceCosignature: t.boolean({
    description: "Announces a cosignature of a partial aggregate.",
    args: {
      parentHash: t.arg({ type: "Hash256", required: true, description: "Hash of the aggregate, which is signed." }),
      signerPublicKey: t.arg({ description: "Public key of the cosigner.", type: "PublicKey", required: true }),
      signature: t.arg({ description: "Signature of that hash.", type: "Signature", required: true }),
      version: t.arg({ type: "UInt64", required: true, description: "0." }),
      ...rejectionArguments,
    },
    resolve: async (_root, { reportRejection, ...cosignature }, context) => {
      await context.announcer.announceCosignature(cosignature, announcedBy(context, reportRejection));
      return true;
    },
  }),
}));
