import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { EMBEDDED_READERS, TRANSACTION_READERS } from "../../catapult/entity/transaction-entity.js";
import { TRANSACTION_LAYOUTS } from "../../catapult/structs/transaction-types.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { differences } from "../support/compare-databases.js";
import { followedDifferingChain, HEIGHT, MIDDLE } from "../support/differing-chain.js";
import { fillExecuted } from "../support/fill-executed.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { SeededRandom } from "../support/seeded-random.js";
import { isFinalAt, type VotedChain } from "../support/voted-chain.js";

/** Types of the chain's transactions that the first block does not have. */
const KINDS = [
  "account_address_restriction",
  "account_metadata",
  "address_alias",
  "hash_lock",
  "mosaic_address_restriction",
  "mosaic_global_restriction",
  "mosaic_metadata",
  "multisig_account_modification",
  "namespace_metadata",
  "secret_lock",
  "secret_proof",
] as const;

let chain: VotedChain;
let reference: IndexedDatabase;

beforeAll(async () => {
  ({ chain, reference } = await followedDifferingChain());
});

afterAll(() => chain.close());

/** Runs `work` as if the program did not know these transaction types. */
async function whileUnknown(types: readonly number[], work: () => Promise<void>): Promise<void> {
  const all = [TRANSACTION_READERS, EMBEDDED_READERS].map((readers) => readers as Map<number, unknown>);
  const forgotten = all.flatMap((readers) => types.map((type) => ({ readers, type, reader: readers.get(type) })));
  for (const { readers, type } of forgotten) readers.delete(type);
  try {
    await work();
  } finally {
    for (const { readers, type, reader } of forgotten) if (reader) readers.set(type, reader);
  }
}

test("blocks with transactions of unknown types are followed once votes prove them", async () => {
  const kinds = new SeededRandom().some(KINDS, 4);
  process.stderr.write(`unknown types: ${kinds.join(", ")}\n`);
  const types = kinds.map((kind) => TRANSACTION_LAYOUTS[kind].type);
  const node = await chain.serve();
  const index = await chain.createIndex();
  // In parts that no threads decode: those would know all types.
  for (const height of [MIDDLE, HEIGHT]) {
    chain.show(node, height, height);
    await whileUnknown(types, async () => {
      await index.follow(node.address, { execution: { configOf: () => chain.right } });
      await isFinalAt(index, height);
      await index.stop();
    });
  }
  expect((await readIndexPoint(index.db)).missingRule).toContain("unknown transaction type");
  const unknown = await index.db.selectFrom("unknown_entities").select("type").distinct().execute();
  expect(unknown.map(({ type }) => type).toSorted()).toEqual(types.toSorted());

  await fillExecuted(index, chain.right, { source: "raw" });
  expect(await differences(reference.url, index.url)).toEqual([]);
  expect(await readIndexPoint(index.db)).toMatchObject({ missingRule: null, unknownEntities: 0 });
});
