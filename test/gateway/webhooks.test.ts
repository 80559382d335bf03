import { mock } from "node:test";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { webhooksCommand } from "../../cli/commands/webhooks.js";
import { UsageError } from "../../cli/process/usage-error.js";
import { loadSettings } from "../../cli/settings/settings.js";
import { until } from "../support/until.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";
import { GatewayFixture } from "./gateway-fixture.js";

const receiver = new WebhookReceiver();
const gateway = GatewayFixture.use(3, { deliversWebhooks: true, webhookPrivateNetworks: ["127.0.0.1"] });

beforeAll(() => receiver.listen());

afterAll(() => receiver.close());

async function graphql(query: string): Promise<Record<string, unknown>> {
  const body = await gateway.ask(query);
  expect(body.errors).toBeUndefined();
  return body.data as Record<string, unknown>;
}

/** What the command prints. */
async function run(options: Parameters<typeof webhooksCommand.run>[1]): Promise<string> {
  const { settings } = loadSettings({ DATABASE_URL: gateway.database.url, LOG_LEVEL: "silent" }, "/nonexistent");
  let text = "";
  const { mock: written } = mock.method(process.stdout, "write", (part: string) => {
    text += part;
    return true;
  });
  try {
    await webhooksCommand.run(settings, options);
    return text;
  } finally {
    written.restore();
  }
}

test("a webhook created by GraphQL receives events of a gateway, and the command lists and removes it", async () => {
  const { createWebhook } = await graphql(
    `mutation { createWebhook(url: "${receiver.url}", topics: ["block"]) { id secret } }`,
  );
  const { id, secret } = createWebhook as { id: number; secret: string };
  receiver.secret = secret;
  await gateway.events.write({ channel: "block", height: 3, data: { height: 3 } });
  await until(() => receiver.received.length === 1, "the message arrives");
  expect(receiver.received[0]).toMatchObject({ type: "block", data: { height: 3 } });
  expect(receiver.problems).toEqual([]);
  const isDelivered = async () => (await run({ action: "list" })).includes("open 0, given up 0");
  await until(isDelivered, "it is delivered");
  expect(await run({ action: "list" })).toBe(
    `${id}  ${receiver.url}  block  after 0 confirmations  open 0, given up 0\n`,
  );
  const { webhooks } = await graphql("{ webhooks { id url topics confirmations awaitsFinality open dead problem } }");
  const status = { confirmations: 0, awaitsFinality: false, open: 0, dead: 0, problem: null };
  expect(webhooks).toEqual([{ id, url: receiver.url, topics: ["block"], ...status }]);
  expect(await run({ action: "replay", target: String(id) })).toBe("Messages to be sent again: 0.\n");
  expect(await run({ action: "remove", target: String(id) })).toBe(`Removed webhook ${id}.\n`);
  await expect(run({ action: "remove", target: String(id) })).rejects.toThrow(UsageError);
  await expect(run({ action: "add", target: receiver.url })).rejects.toThrow(/private address 127\.0\.0\.1/);
  expect(await run({ action: "list" })).toBe("There are no webhooks.\n");
});
