import { openDatabase } from "../../database/connection.js";
import { ApiError } from "../../schema/errors/errors.js";
import { optional } from "../../schema/graph/arguments.js";
import { describeTopic, Webhooks } from "../../schema/webhooks/webhooks.js";
import { findDatabaseUrl } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { requireSchema } from "../parts/schema-check.js";
import { UsageError } from "../process/usage-error.js";
import type { Command, GivenOptions } from "./command.js";

const STDERR = 2;
const TIMEOUT_MS = 10_000;

const ACTIONS = ["add", "list", "remove", "ping", "send-now", "replay"] as const;

/** `symbol-gateway webhooks add|list|remove|ping|send-now|replay` */
export const webhooksCommand: Command = {
  description:
    "Manages webhooks: URLs to which one of the gateways posts messages about events, signed as in Standard Webhooks.\n" +
    "  webhooks add https://shop.example/hook --topics confirmedAdded/<address> --confirmations 6\n" +
    "  webhooks list\n" +
    "  webhooks remove 1\n" +
    "  webhooks ping 1\n" +
    "  webhooks send-now 1\n" +
    "  webhooks replay 1 --message 17\n" +
    "add prints the secret, which is not shown again. ping sends a test message, send-now what waits for its next\n" +
    "attempt. replay sends messages again that were given up after a day.",
  operands: [
    { name: "action", description: `${ACTIONS.slice(0, -1).join(", ")} or ${ACTIONS.at(-1)}`, words: [...ACTIONS] },
    { name: "target", description: "for add a URL, otherwise the id of a webhook", isOptional: true },
  ],
  options: {
    topics: {
      kind: "text",
      description:
        "topics as on /ws or deposit/address, separated by commas: channel or channel/address (default: block)",
    },
    confirmations: {
      kind: "number",
      description: "number of blocks above that of a message before it is sent (default: 0, at once)",
    },
    finality: { kind: "flag", description: "send a message when its block is final" },
    secret: { kind: "text", description: "whsec_ and 24 to 64 bytes in base64 (default: a new one)" },
    message: { kind: "number", description: "replay this message only: the last part of its id" },
  },
  settings: ["DATABASE_URL", "DATA_DIR", "WEBHOOK_PRIVATE_NETWORKS", "log"],
  async run(settings, options) {
    const log = createLog("webhooks", settings, STDERR);
    const databaseUrl = await findDatabaseUrl(settings);
    await requireSchema(databaseUrl, log, { writes: true });
    const db = openDatabase({ url: databaseUrl, poolSize: 1, statementTimeoutMs: TIMEOUT_MS });
    try {
      return await act(new Webhooks(db, settings.WEBHOOK_PRIVATE_NETWORKS), options);
    } catch (error) {
      if (error instanceof ApiError) throw new UsageError(`${error.message}.`, { cause: error });
      throw error;
    } finally {
      await db.destroy();
    }
  },
};

/** @returns the exit code */
async function act(webhooks: Webhooks, { action, target, ...options }: GivenOptions): Promise<number> {
  if (action === "list") return list(webhooks);
  if (target === undefined) {
    throw new UsageError(`<target> is missing: ${action === "add" ? "a URL" : "the id of a webhook"}.`);
  }
  if (action === "add") return add(webhooks, String(target), options);
  if (!/^\d{1,15}$/.test(String(target))) throw new UsageError(`<target> must be the id of a webhook, not ${target}.`);
  const id = Number(target);
  if (action === "remove") {
    await webhooks.remove(id);
    return print(`Removed webhook ${id}.`);
  }
  if (action === "ping") {
    const problem = await webhooks.ping(id);
    if (problem === undefined) return print("Delivered.");
    process.stderr.write(`Not delivered: ${problem}.\n`);
    return 1;
  }
  if (action === "send-now") return print(`Messages that are due now: ${await webhooks.sendNow(id)}.`);
  const count = await webhooks.replay(id, options.message as number | undefined);
  return print(`Messages to be sent again: ${count}.`);
}

async function add(webhooks: Webhooks, url: string, { topics, confirmations, finality, secret }: GivenOptions) {
  const created = await webhooks.add({
    url,
    topics: String(optional(topics) ?? "block").split(","),
    confirmations: confirmations as number | undefined,
    awaitsFinality: finality === true,
    secret: optional(secret) as string | undefined,
  });
  return print(`Added webhook ${created.id}. Its secret, which is not shown again:\n${created.secret}`);
}

async function list(webhooks: Webhooks): Promise<number> {
  const all = await webhooks.list();
  if (all.length === 0) print("There are no webhooks.");
  for (const { id, url, topics, confirmations, awaits_finality, open, dead, problem } of all) {
    const waits = awaits_finality ? "after finality" : `after ${confirmations} confirmations`;
    const last = problem === null ? "" : `, not delivered: ${problem}`;
    print(`${id}  ${url}  ${topics.map(describeTopic).join(",")}  ${waits}  open ${open}, given up ${dead}${last}`);
  }
  return 0;
}

/** @returns the exit code of success */
function print(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}
