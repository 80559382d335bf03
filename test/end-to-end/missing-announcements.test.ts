import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { signedPayload } from "../support/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { until } from "../support/until.js";

describe("without ZeroMQ, what was pushed untried", () => {
  let stack: RestStack;

  beforeAll(async () => {
    stack = await RestStack.start({ gateway: { pushesEverything: true }, executes: true });
  });
  afterAll(() => stack?.stop());

  async function announce(payload: Buffer): Promise<string> {
    const { status } = await stack.send("PUT", "/transactions", { payload: hex(payload) });
    expect(status).toBe(202);
    return hex(transactionHash(payload, stack.node.devnet.network));
  }

  /** Keeps the node from answering what is in its pool, until the returned function is called. */
  function holdPool(): () => void {
    const { handlers } = stack.node.devnet;
    const pull = handlers.get(PacketType.pullTransactions)!;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    handlers.set(PacketType.pullTransactions, (...request) => released.then(() => pull(...request)));
    return () => {
      handlers.set(PacketType.pullTransactions, pull);
      release();
    };
  }

  async function statusOf(hash: string): Promise<Record<string, unknown>> {
    return (await (await fetch(`${stack.url}/transactionStatus/${hash}`)).json()) as Record<string, unknown>;
  }

  test("and the node has rejected, is not unconfirmed until its deadline", async () => {
    const { devnet } = stack.node;
    const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
    const tooMuch = signedPayload(devnet, alice, { recipientAddress: bob.address, amount: 10n ** 18n });
    const release = holdPool();
    const hash = await announce(tooMuch);
    expect(await statusOf(hash)).toMatchObject({ group: "unconfirmed", code: "Success", held: true, waitsFor: "node" });
    release();
    await until(
      async () => (await statusOf(hash)).group === "failed",
      "its status says that the node does not have it",
    );
    expect(await statusOf(hash)).toMatchObject({ group: "failed", code: "Neutral", hash });
    const statuses = await stack.index.db.selectFrom("events").selectAll().where("channel", "=", "status").execute();
    expect(statuses).toHaveLength(1);
    // It would be pushed again, when the node no longer ignores it.
    const rows = await stack.index.db.selectFrom("announcements").select(["reported_at", "next_push_at"]).execute();
    expect(rows).toEqual([{ reported_at: null, next_push_at: expect.any(Date) }]);
    // Announced again, it is awaited again.
    const releaseAgain = holdPool();
    await announce(tooMuch);
    expect(await statusOf(hash)).toMatchObject({ group: "unconfirmed", held: true });
    releaseAgain();
  });

  test("and the node has taken, is unconfirmed, and confirmed", async () => {
    const { devnet } = stack.node;
    const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
    const hash = await announce(signedPayload(devnet, alice, { recipientAddress: bob.address, amount: 5n }));
    await until(async () => (await statusOf(hash)).held === undefined, "the node's pool has it");
    expect(await statusOf(hash)).toMatchObject({ group: "unconfirmed", code: "Success" });
    await stack.harvest();
    expect(await statusOf(hash)).toMatchObject({ group: "confirmed" });
  });
});
