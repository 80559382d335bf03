import type { WebhookStatus } from "../../database/queries/webhooks.js";
import { optional } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { members } from "../graph/members.js";
import { type CreatedWebhook, describeTopic, Webhooks } from "./webhooks.js";

const requireWebhooks = ({ writeDb, webhookPrivateNetworks }: Context) => new Webhooks(writeDb, webhookPrivateNetworks);

const Webhook = builder.objectRef<WebhookStatus>("Webhook").implement({
  description: "A webhook: a URL that receives messages about events.",
  fields: (t) => ({
    ...members(t, {
      id: ["SafeInt", "Id of the webhook."],
      url: ["String", "URL to which messages are posted."],
      confirmations: ["Int", "Number of blocks above that of a message before it is sent; 0 = at once."],
      awaitsFinality: ["Boolean", "Whether a message is sent when its block is final.", "awaits_finality"],
      open: ["SafeInt", "Number of messages that are not delivered yet."],
      dead: ["SafeInt", "Number of messages that were given up."],
      problem: ["String?", "Why the oldest undelivered message could not be delivered."],
    }),
    topics: t.stringList({
      description: "Topics as on /ws: channel, or channel/address; or deposit/address.",
      resolve: ({ topics }) => topics.map(describeTopic),
    }),
    createdAt: t.string({ description: "Time in ISO 8601.", resolve: ({ created_at }) => created_at.toISOString() }),
  }),
});

const CreatedWebhookType = builder.objectRef<CreatedWebhook>("CreatedWebhook").implement({
  description: "A webhook that was created.",
  fields: (t) =>
    members(t, {
      id: ["SafeInt", "Id of the webhook."],
      secret: ["String", "Secret of its signatures, which is not shown again."],
    }),
});

builder.queryField("webhooks", (t) =>
  t.field({
    type: [Webhook],
    description: "All webhooks by id.",
    resolve: (_root, _args, context) => requireWebhooks(context).list(),
  }),
);

const idArgument = builder.args((t) => ({
  id: t.field({ type: "SafeInt", required: true, description: "Id of the webhook." }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: CreatedWebhookType,
    description: "Creates a webhook, which receives later events.",
    args: {
      url: t.arg.string({ required: true, description: "URL to which messages are posted." }),
      topics: t.arg.stringList({
        required: true,
        description: "Topics as on /ws: channel, or channel/address; or deposit/address.",
      }),
      confirmations: t.arg.int({ description: "Number of blocks above that of a message before it is sent." }),
      awaitsFinality: t.arg.boolean({ description: "Whether to send a message when its block is final." }),
      secret: t.arg.string({ description: "whsec_ and 24 to 64 bytes in base64; a new one by default." }),
    },
    resolve: (_root, { confirmations, awaitsFinality, secret, ...webhook }, context) =>
      requireWebhooks(context).add({
        ...webhook,
        confirmations: confirmations ?? undefined,
        awaitsFinality: awaitsFinality ?? undefined,
        secret: optional(secret),
      }),
  }),
  removeWebhook: t.boolean({
    description: "Removes a webhook and its undelivered messages.",
    args: idArgument,
    resolve: async (_root, { id }, context) => {
      await requireWebhooks(context).remove(id);
      return true;
    },
  }),
  pingWebhook: t.string({
    nullable: true,
    description: "Sends a message of type ping at once; returns why it was not delivered, null when it was.",
    args: idArgument,
    resolve: async (_root, { id }, context) => (await requireWebhooks(context).ping(id)) ?? null,
  }),
  sendWebhookNow: t.field({
    type: "SafeInt",
    description: "Makes the next attempt of all undelivered messages due now; returns their number.",
    args: idArgument,
    resolve: (_root, { id }, context) => requireWebhooks(context).sendNow(id),
  }),
  replayWebhook: t.field({
    type: "SafeInt",
    description: "Sends messages again that were given up; returns their number.",
    args: {
      ...idArgument,
      number: t.arg({
        type: "SafeInt",
        description: "Number of one message, the last part of its id; by default all.",
      }),
    },
    resolve: (_root, { id, number }, context) => requireWebhooks(context).replay(id, number ?? undefined),
  }),
}));
