import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { encodeAddress } from "../../catapult/entity/address.js";
import { addUpDays } from "../../indexer/chain/step/daily-sums.js";
import { checkIndex } from "../support/checked-index.js";
import { askGraphql } from "../support/rest-client.js";
import { RestStack } from "../support/rest-stack.js";
import { transferPayload } from "../support/transfers.js";

const BLOCKS = 12;

let stack: RestStack;
let harvester: string;
let others: readonly string[];

beforeAll(async () => {
  stack = await RestStack.start({
    executes: true,
    populate: async ({ devnet }) => {
      for (let block = 0; block < BLOCKS; block += 1) await transferInBlock();
      async function transferInBlock() {
        const [alice, bob] = devnet.accounts;
        devnet.announce(transferPayload(devnet, alice!, bob!.address, BigInt(devnet.height)));
        await devnet.harvest(1);
      }
    },
  });
  const { devnet } = stack.node;
  harvester = encodeAddress(devnet.accounts.at(-1)!.address);
  others = await paidAccounts();
});

afterAll(() => stack?.stop());

/** Accounts besides the harvester that sign blocks, or get a part of their fees. */
async function paidAccounts(): Promise<string[]> {
  const { rows } = await query<{ address: string }>(`
    select address from analytics.harvests where height > 1
    union select beneficiary from analytics.blocks where height > 1
    union select signer from analytics.blocks where height > 1`);
  const found = rows.map(({ address }) => address).filter((address) => address !== harvester);
  expect(found.length).toBeGreaterThanOrEqual(3);
  return found;
}

async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: stack.index.url });
  await client.connect();
  try {
    return await client.query<Row>(text, values);
  } finally {
    await client.end();
  }
}

const graphql = (text: string) => askGraphql(stack.url, text);

interface Harvested {
  readonly harvester: { readonly address: string };
}

const harvestedBy = async (address: string) => {
  const data = await graphql(
    `{ account(address: "${address}") { harvestedBlocks { data { height } pagination { totalEntries } } } }`,
  );
  return data.account?.harvestedBlocks.pagination.totalEntries ?? 0;
};

/** Blocks after the first, which the main account harvests by its remote account. */
async function expectDelegatedBlocks() {
  const { height } = stack.node.devnet;
  expect(await harvestedBy(harvester)).toBe(height - 1);
  for (const one of others) expect(await harvestedBy(one)).toBe(0);
  const { blocks } = await graphql(`{ blocks(page: { pageSize: 10 }) { data { height harvester { address } } } }`);
  expect(new Set(blocks.data.map((one: Harvested) => one.harvester.address))).toEqual(new Set([harvester]));
}

test("a block that a remote account signed was harvested by its main account, also after a fork", async () => {
  await expectDelegatedBlocks();
  stack.node.devnet.fork({ from: stack.node.devnet.height - 3, blocks: 4 });
  await stack.caughtUp();
  await expectDelegatedBlocks();
});

test("neither beneficiaries nor the network's account are ranked as harvesters", async () => {
  const { ranking } = await graphql("{ ranking(by: HARVESTED, fromHeight: 2) { address count value } }");
  const { rows } = await query<{ amount: string }>(
    "select sum(amount) as amount from analytics.harvests where address = harvester and height > 1",
  );
  expect(ranking).toEqual([{ address: harvester, count: stack.node.devnet.height - 1, value: rows[0]?.amount }]);
});

test("SQL has the same harvesters in blocks, in open days and in added up ones", async () => {
  const { height } = stack.node.devnet;
  const ofDays = async () => {
    const { rows } = await query<{ address: string; blocks: string; amount: string }>(
      `select address, sum(blocks) as blocks, sum(amount) as amount from analytics.daily_harvesters
       where day > '2020-01-01' group by 1`,
    );
    return rows;
  };
  const { rows } = await query<{ harvester: string; blocks: string }>(
    "select harvester, count(*) as blocks from analytics.blocks where height > 1 group by 1",
  );
  expect(rows).toEqual([{ harvester, blocks: String(height - 1) }]);
  const open = await ofDays();
  expect(open.map(({ address, blocks }) => [address, blocks])).toContainEqual([harvester, String(height - 1)]);
  for (const one of others) expect(open.map(({ address }) => address)).not.toContain(one);

  // A day is added up when a block after it is final.
  await query("update blocks set timestamp = timestamp + 172800000 where height = (select height from head)");
  await query("update head set finalized_height = height");
  await addUpDays(stack.index.db);
  const { rows: stored } = await query("select from daily_sums where measure = 5");
  expect(stored.length).toBeGreaterThan(0);
  const closed = await ofDays();
  expect(closed.toSorted(byAddress)).toEqual(open.toSorted(byAddress));
});

const byAddress = (a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1);

test("`check` names a block with another harvester", async () => {
  const before = await checkIndex({ databaseUrl: stack.index.url });
  await query(`update blocks set harvester = beneficiary where height = 3`);
  const { found } = await checkIndex({ databaseUrl: stack.index.url });
  const added = found.filter((one) => !before.found.includes(one));
  expect(added.some((one) => /^blocks height=3\b.*harvester/.test(one))).toBe(true);
});
