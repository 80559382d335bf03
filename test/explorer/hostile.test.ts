import { expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { describeIfBrowser } from "../support/browser.js";
import { RestStack } from "../support/rest-stack.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { transferPayload } from "../support/transfers.js";

// Texts of strangers: they are shown as they are, and change nothing else.

const MARKUP =
  "hostile <img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>&lt;</q></td>";
const TEXTS = [MARKUP, "\u202Edlrow olleh\u2066\u2067", "x".repeat(1_000)];
/** The longest that a name may be, without a place to break it. */
const NAME = "n".repeat(64);
const WIDTHS = [1_440, 390];

/** Writes the texts as messages to bob, whose name is the longest, and as metadata of alice; one message stays unconfirmed. */
async function populate({ devnet }: { devnet: Devnet }): Promise<void> {
  const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
  const maker = new TransactionMaker(devnet);
  const inside = (descriptor: Parameters<TransactionMaker["embedded"]>[1]) =>
    devnet.announce(maker.aggregate({ signer: alice, embedded: [maker.embedded(alice, descriptor)] }));
  const id = generateNamespaceId(NAME);
  const registration = { registrationType: "root", duration: 100n, name: NAME, id };
  devnet.announce(maker.transaction(alice, { type: "namespace_registration_transaction_v1", ...registration }));
  await devnet.harvest(1);
  const address = new Uint8Array(alice.address);
  const named = { namespaceId: id, address: new Uint8Array(bob.address), aliasAction: "link" };
  inside({ type: "address_alias_transaction_v1", ...named });
  for (const [index, text] of TEXTS.entries()) {
    const value = new Uint8Array(Buffer.from(text));
    const entry = { targetAddress: address, scopedMetadataKey: BigInt(index + 1), value, valueSizeDelta: value.length };
    inside({ type: "account_metadata_transaction_v1", ...entry });
    devnet.announce(transferPayload(devnet, alice, bob.address, 1n, text));
  }
  await devnet.harvest(1);
  devnet.announce(transferPayload(devnet, alice, bob.address, 2n, MARKUP));
}

describeIfBrowser("hostile texts", (browser) => {
  const stack = RestStack.use({ followsBroker: true, populate });

  /** Opens a page at each width; nothing is wider than the window or sticks out of its frame, and no text has become markup. */
  async function expectHarmless(path: string, ready: string, texts: readonly string[]): Promise<void> {
    for (const width of WIDTHS) {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      await page.goto(`${stack.url}/explorer${path}`);
      await page.locator(ready).first().waitFor();
      const { shown, images, scripts, ...found } = await page.evaluate(() => ({
        title: document.title,
        width: document.documentElement.scrollWidth,
        outside: [...document.querySelectorAll("section")]
          .filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX === "visible")
          .map((one) => one.querySelector("h2")?.textContent),
        mixed: [...document.querySelectorAll("q")].filter((one) => getComputedStyle(one).unicodeBidi !== "isolate")
          .length,
        images: document.querySelectorAll("img").length,
        scripts: document.querySelectorAll("body script").length,
        shown: document.body.textContent,
      }));
      expect([images, scripts]).toEqual([0, 0]);
      expect({ path, ...found, title: found.title.includes("owned") }).toEqual({
        path,
        title: false,
        width,
        outside: [],
        mixed: 0,
      });
      for (const text of texts) expect(shown).toContain(text);
      await page.close();
    }
  }

  test.each([
    ["the first page", "", "#transactions", [NAME]],
    ["the list of transactions", "/transactions?type=16724", "#list", [NAME, ...TEXTS]],
    ["pending transactions", "/pending", "#list", [MARKUP]],
    ["namespaces", "/namespaces", "#list", [NAME]],
    ["accounts", "/accounts", "#list", [NAME]],
    ["the search", "/search?q=nnn", "#found", [NAME]],
  ])("on the page of %s", (_name, path, table, texts) => expectHarmless(path, `${table} tbody tr`, texts));

  test("on the page of an account", async () => {
    const address = encodeAddress(stack.node.account("alice").address);
    await expectHarmless(`/account/${address}`, "#transactions tbody tr", [NAME, ...TEXTS]);
  });

  test("in the sentence of a transfer", async () => {
    const { data } = (await stack.get("/transactions/confirmed?type=16724&pageSize=10&order=desc")).body;
    for (const [index, text] of TEXTS.toReversed().entries())
      await expectHarmless(`/transaction/${data[index].meta.hash}`, ".sentence", [NAME, text]);
  });
});
