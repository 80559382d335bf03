import { expect, test } from "@jest/globals";
import { signedAggregate } from "../support/devnet.js";
import { RestStack } from "../support/rest-stack.js";

/** Embedded transactions of at most 4,096 bytes are read with their aggregate, others by a second statement. */
const LARGEST_READ_AT_ONCE = 4_096;
/** Of an embedded transfer of one mosaic, with a message that makes it as long as this; and without it. */
const EMBEDDED_SIZE = 1_024;
const TRANSFER_SIZE = 96;
/** Of an aggregate without cosignatures. */
const HEADER_SIZE = 168;

const stack = RestStack.use();

test("an aggregate has the same body by hash, by id, and among others, however large its embedded transactions are", async () => {
  const { devnet } = stack.node;
  const [alice] = devnet.accounts;
  const counts = [1, 3, 4, 5, 20];
  for (const [place, count] of counts.entries()) {
    const message = Buffer.alloc(EMBEDDED_SIZE - TRANSFER_SIZE, 65 + place);
    const embedded = Array.from({ length: count }, () => ({ signer: alice!, fields: { message } }));
    const payload = signedAggregate(devnet, alice!, { embedded }).toString("hex");
    expect((await stack.send("PUT", "/transactions", { payload })).status).toBe(202);
    await stack.harvest();
  }
  await stack.caughtUp();
  const search = await stack.get("/transactions/confirmed?type=16705&order=asc");
  const { data } = search.body as { data: { id: string; meta: { hash: string } }[] };
  const transactionIds = data.map(({ meta }) => meta.hash);
  const together = (await stack.post("/transactions/confirmed", { transactionIds })).body as {
    transaction: { size: number; transactions: unknown[] };
  }[];
  const read = together.map(({ transaction }) => [transaction.size - HEADER_SIZE, transaction.transactions.length]);
  expect(read).toEqual(counts.map((count) => [count * EMBEDDED_SIZE, count]));
  expect(read.map(([size]) => size)).toContain(LARGEST_READ_AT_ONCE);
  for (const [place, { id, meta }] of data.entries()) {
    for (const name of [meta.hash, id]) {
      expect((await stack.get(`/transactions/confirmed/${name}`)).body).toEqual(together[place]);
    }
  }
});
