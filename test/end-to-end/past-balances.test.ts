import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { idText } from "../../catapult/json/format.js";
import { decodeState } from "../../catapult/state/state.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { parseAddress } from "../../schema/graph/formats.js";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import { expectBooksToAddUp, readBooks } from "../support/account-books.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { DevnetFixture } from "../support/devnet.js";
import { playScenario } from "../support/devnet-scenario.js";
import { recordedConfig } from "../support/known-networks.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { askGraphql } from "../support/rest-client.js";
import { RestStack } from "../support/rest-stack.js";
import { SeededRandom } from "../support/seeded-random.js";

const HEIGHTS = 12;

/** Accounts, mosaics and locks at a height. */
interface PastState {
  /** Atomic units by mosaic id, then by address as upper-case hex. */
  readonly balances: ReadonlyMap<bigint, ReadonlyMap<string, bigint>>;
  /** Atomic units by mosaic id. */
  readonly supplies: ReadonlyMap<bigint, bigint>;
  /** Amounts in locks, atomic units by mosaic id. */
  readonly locked: ReadonlyMap<bigint, bigint>;
}

/** Executes a chain from its first block on, and returns the state at some heights: what an index should know of the past. */
function executePast(
  blocks: readonly Buffer[],
  network: NetworkIdentity,
  config: NetworkConfig,
  heights: readonly number[],
): Map<number, PastState> {
  const state = new ChainState(config);
  const found = new Map<number, PastState>();
  for (const bytes of blocks) {
    const block = decodeBlock(bytes, network);
    state.execute(block);
    if (heights.includes(block.height)) found.set(block.height, pastStateOf(state, block.height));
  }
  return found;
}

function pastStateOf({ tables }: ChainState, height: number): PastState {
  const balances = new Map<bigint, Map<string, bigint>>();
  for (const value of tables.accounts.table.allSerialized()) {
    const { address, mosaics } = decodeState("account", value);
    for (const { id, amount } of mosaics) {
      const ofMosaic = balances.get(id) ?? new Map<string, bigint>();
      balances.set(id, ofMosaic.set(address.toString("hex").toUpperCase(), amount));
    }
  }
  const mosaics = tables.mosaics.table.allSerialized().map((value) => decodeState("mosaic", value));
  const locks = [
    ...tables.hashLocks.table.allSerialized().map((value) => decodeState("hashLock", value)),
    ...tables.secretLocks.table.allSerialized().map((value) => decodeState("secretLock", value)),
  ];
  const locked = new Map<bigint, bigint>();
  for (const { status, endHeight, mosaicId, amount } of locks) {
    if (status === 0 && endHeight > height) locked.set(mosaicId, (locked.get(mosaicId) ?? 0n) + amount);
  }
  return { balances, supplies: new Map(mosaics.map(({ id, supply }) => [id, supply])), locked };
}

/** All holders of a mosaic at a height, page by page: atomic units by address as hex. */
async function holdersAt(url: string, mosaicId: bigint, height: number): Promise<Map<string, bigint>> {
  const found = new Map<string, bigint>();
  let after = "";
  do {
    const { holdersAt: page } = await askGraphql(
      url,
      `{ holdersAt(mosaicId: "${idText(mosaicId)}", height: ${height}, first: 25${after}) {
        data { address amount } pageInfo { endCursor hasNextPage } } }`,
    );
    for (const { address, amount } of page.data) {
      found.set(parseAddress(address)?.toString("hex").toUpperCase() ?? "", BigInt(amount));
    }
    after = page.pageInfo.hasNextPage ? `, after: "${page.pageInfo.endCursor}"` : "";
  } while (after !== "");
  return found;
}

/** Compares the past balances of the index with the real ones, and with the supply of each mosaic. */
async function expectPast(url: string, past: ReadonlyMap<number, PastState>): Promise<number> {
  let mosaics = 0;
  for (const [height, { balances, supplies, locked }] of past) {
    for (const [mosaicId, supply] of supplies) {
      const holders = await holdersAt(url, mosaicId, height);
      expect({ height, mosaicId, holders: new Map([...holders].toSorted()) }).toEqual({
        height,
        mosaicId,
        holders: new Map([...(balances.get(mosaicId) ?? [])].toSorted()),
      });
      const sum = [...holders.values()].reduce((a, b) => a + b, locked.get(mosaicId) ?? 0n);
      expect({ height, mosaicId, sum }).toEqual({ height, mosaicId, sum: supply });
      mosaics += 1;
    }
  }
  return mosaics;
}

/** The same with the current state of the index: balances of accounts and amounts in locks. */
async function expectHead({ index }: RestStack): Promise<number> {
  const { rows } = await sql<{ id: Buffer; supply: string; held: string }>`
    select m.mosaic_id as id, m.supply::numeric as supply,
      coalesce((select sum(amount) from account_balances b where b.mosaic_id = m.mosaic_id), 0)
      + coalesce((
        select sum(amount) from (
          select mosaic_id, amount, status, end_height from hash_locks
          union all select mosaic_id, amount, status, end_height from secret_locks) l
        where status = 0 and end_height > (select height from head) and l.mosaic_id = m.mosaic_id), 0) as held
    from mosaics m`.execute(index.db);
  for (const { id, supply, held } of rows) expect({ id, held }).toEqual({ id, held: supply });
  return rows.length;
}

function someHeights(most: number): number[] {
  const random = new SeededRandom();
  return [...new Set([1, most, ...Array.from({ length: HEIGHTS }, () => 1 + random.below(most))])];
}

describe("balances of the past on a devnet with every transaction type", () => {
  test("add up to the supplies, at the head and at random heights, also after a fork", async () => {
    const stack = await RestStack.start({
      devnet: { zmqPort: 0, rules: { ...SCENARIO_RULES } },
      populate: playScenario,
    });
    try {
      const { devnet } = stack.node;
      const beforeFork = await expectPast(stack.url, await pastOf(stack.node));
      await expectHead(stack);
      devnet.fork({ from: devnet.height - 10, blocks: 12 });
      await stack.caughtUp();
      const mosaics = await expectPast(stack.url, await pastOf(stack.node));
      const now = await expectHead(stack);
      expect(now).toBeGreaterThan(3);
      const { db } = stack.index;
      expect(await expectBooksToAddUp(db, await readBooks(db))).toBeGreaterThan(100);
      process.stderr.write(`mosaics whose balances add up to the supply at the head, after a fork: ${now}\n`);
      process.stderr.write(
        `mosaics whose holders add up to the supply at heights of the past: ${beforeFork}, and after a fork ${mosaics}\n`,
      );

      // The history of one account: every step leads to the next, the newest to the current balance.
      const [alice] = devnet.accounts;
      const address = alice?.address.toString("hex").toUpperCase();
      const mosaicId = idText(devnet.currencyMosaicId);
      const { balanceHistory, account } = await askGraphql(
        stack.url,
        `{ balanceHistory(address: "${address}", mosaicId: "${mosaicId}", first: 1000) {
             data { height change amount } pageInfo { hasNextPage } }
           account(address: "${address}") { mosaics { mosaicId amount } } }`,
      );
      const steps: { height: number; change: string; amount: string }[] = balanceHistory.data;
      expect(steps[0]?.amount).toBe(
        account.mosaics.find((balance: { mosaicId: string }) => balance.mosaicId === mosaicId).amount,
      );
      for (const [index, { change, amount }] of steps.entries()) {
        expect(BigInt(amount) - BigInt(change)).toBe(BigInt(steps[index + 1]?.amount ?? 0));
      }
      const middle = steps[steps.length >> 1];
      const { at, before } = await askGraphql(
        stack.url,
        `{ at: balanceAt(address: "${address}", mosaicId: "${mosaicId}", height: ${middle?.height})
           before: balanceAt(address: "${address}", mosaicId: "${mosaicId}", height: ${(middle?.height ?? 0) - 1}) }`,
      );
      expect(at).toBe(middle?.amount);
      expect(BigInt(at) - BigInt(before)).toBe(BigInt(middle?.change ?? 0));
      await expect(
        askGraphql(
          stack.url,
          `{ holdersAt(mosaicId: "${mosaicId}", height: ${devnet.height + 1}) { data { amount } } }`,
        ),
      ).rejects.toThrow(`height must be at most ${devnet.height}`);
    } finally {
      await stack.stop();
    }
  });

  async function pastOf({ devnet, client }: DevnetFixture): Promise<Map<number, PastState>> {
    const read = (name: string) => readFileSync(join(devnet.resourcesDirectory, `config-${name}.properties`), "utf8");
    const config = parseNetworkConfig(read("network"), read("inflation"));
    const blocks: Buffer[] = [];
    while (blocks.length < devnet.height) {
      blocks.push(...(await client.blocks(blocks.length + 1, { maxBlocks: 42, maxBytes: 10_000_000 })));
    }
    return executePast(blocks, devnet.network, config, someHeights(devnet.height));
  }
});

describeRecorded("balances of the past of the recorded chain", (chain) => {
  test("equal the accounts' balances at the time, and add up to the supplies", async () => {
    const gateway = await RecordedStateGateway.start(chain);
    try {
      const blocks = chain.blocks().map(({ block }) => block);
      const past = executePast(blocks, chain.network, recordedConfig(chain), someHeights(blocks.length));
      const mosaics = await expectPast(gateway.url, past);
      process.stderr.write(`mosaics whose holders add up to the supply at heights of the past: ${mosaics}\n`);
    } finally {
      await gateway.close();
    }
  });
});
