import { beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { encodeAddress } from "../../catapult/entity/address.js";
import { recordAnnouncement } from "../../database/mempool/announcements.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { describeIfBrowser } from "../support/browser.js";
import { RestStack } from "../support/rest-stack.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { transferOf } from "../support/transfers.js";
import { until } from "../support/until.js";

// What pages show of transactions that are in no block: one that failed, and one that waits for signatures.

/** Atomic units: more than there is. */
const TOO_MUCH = 9_000_000_000_000_000n;

describeIfBrowser("announced transactions", (browser) => {
  const stack = RestStack.use({ followsBroker: true });
  let make: TransactionMaker;
  let alice: DevnetAccount;
  let bob: DevnetAccount;

  beforeAll(() => {
    make = new TransactionMaker(stack.node.devnet);
    [alice, bob] = [stack.node.account("alice"), stack.node.account("bob")];
  });

  async function open(path: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${stack.url}/explorer${path}`);
    return page;
  }

  test("one that failed shows who wanted to send what to whom, and why it failed", async () => {
    const { devnet } = stack.node;
    const payload = make.transaction(alice!, transferOf(devnet, bob.address, TOO_MUCH, "for the car"));
    const hash = make.hashOf(payload).toString("hex").toUpperCase();
    // As after a node has rejected it.
    const { db } = stack.index;
    const own = { hash: make.hashOf(payload), deadline: Number.MAX_SAFE_INTEGER };
    await recordAnnouncement(db, { ...own, kind: "transaction", payload }, Buffer.alloc(32));
    const status = { ...own, code: "Failure_Core_Insufficient_Balance", from_node: true, recorded_at: new Date() };
    await db
      .insertInto("transaction_statuses")
      .values({ ...status, deadline: BigInt(own.deadline) })
      .execute();
    const page = await open(`/transaction/${hash}`);
    const links = page.locator(".summary .sentence a.account");
    await page.waitForFunction(
      (name) => document.querySelector(".summary .sentence")?.textContent?.includes(name),
      "devnet.alice",
    );
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("title")))).toEqual(
      [alice, bob].map((one) => encodeAddress(one.address)),
    );
    expect(await page.locator(".summary .sentence").textContent()).toMatch(
      /^Was to be, but failed: devnet\.alice .* sent 9,000,000,000 symbol\.xym to .*: for the car$/,
    );
    expect(await page.locator('[data-field="code"]').textContent()).toBe(
      "The account does not have enough of a mosaic, or of the currency for the fee. Failure_Core_Insufficient_Balance",
    );
    await page.close();
  });

  test("pending transactions open with the group that has some", async () => {
    const { devnet } = stack.node;
    const group = async () => {
      const page = await open("/pending");
      await page.locator('[data-field="list-total"]').waitFor();
      const chosen = await page.locator("select[name=group]").inputValue();
      const rows = await page.locator("#list tbody tr").count();
      await page.close();
      return [chosen, rows];
    };
    expect(await group()).toEqual(["unconfirmed", 0]);
    const embedded = [make.embedded(bob, transferOf(devnet, alice!.address, 1n))];
    const bonded = make.aggregate({ signer: alice!, embedded, isBonded: true }, { cosignaturesToCome: 1 });
    const mosaic = { mosaicId: devnet.currencyMosaicId, amount: 10_000_000n };
    const lock = { duration: 480n, hash: new Uint8Array(make.hashOf(bonded)), mosaic };
    devnet.announce(make.transaction(alice!, { type: "hash_lock_transaction_v1", ...lock }));
    await stack.harvest();
    devnet.announcePartial(bonded);
    await until(async () => {
      const { body } = await stack.get("/transactions/partial");
      return body.data.length === 1;
    }, "the aggregate is partial");
    expect(await group()).toEqual(["partial", 1]);
  });
});
