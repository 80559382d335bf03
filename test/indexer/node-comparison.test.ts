import { expect, test } from "@jest/globals";
import { sha3, sha3OfMany } from "../../catapult/entity/hashes.js";
import { statePackets, stateTreeKey } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { ConnectionClosedError } from "../../catapult/wire/errors.js";
import { type ComparedNode, compareWithNode, describeComparison } from "../../indexer/execution/node-comparison.js";
import { type TreeDifference, treeDifferences } from "../../indexer/execution/tree-differences.js";
import { TreeView } from "../../indexer/execution/tree-view.js";
import { ChainTables } from "../../ledger/state/chain-tables.js";
import { Journal } from "../../ledger/state/journal.js";
import { StateTable, type StateTree } from "../../ledger/state/state-table.js";
import { publicConfig, TEST_NETWORK } from "../support/main-network.js";
import { SeededRandom } from "../support/seeded-random.js";

const HEIGHT = 77;
const HASH = sha3(Buffer.from("block 77"));
const ACCOUNTS = 3_000;
const MOSAIC = 5n;
const config = publicConfig(TEST_NETWORK);

/** A state with accounts, of which all have funds. */
function stateWithAccounts(): ChainTables {
  const tables = new ChainTables(config);
  for (let number = 0; number < ACCOUNTS; ++number) give(tables, number);
  updateTrees(tables);
  return tables;
}

function addressOf(number: number): Buffer {
  const address = Buffer.alloc(24, config.networkIdentifier);
  address.writeUInt32LE(number, 8);
  return address;
}

function give(tables: ChainTables, number: number): void {
  tables.accounts.addAddress(addressOf(number), 1);
  tables.accounts.credit(addressOf(number), MOSAIC, 1n);
}

function updateTrees(tables: ChainTables): Buffer[] {
  return tables.stateTables().map((table) => table.updateTree(HEIGHT));
}

/** A node that does not trust this host: it answers state paths, and closes the connection when roots are requested. */
function strangeNode(tables: ChainTables): ComparedNode & { paths: number } {
  const kindOf = new Map(STATE_KINDS.map((kind) => [statePackets(kind).path, kind]));
  return {
    paths: 0,
    chainStatistics: async () => ({ height: HEIGHT }) as never,
    blockHashes: async () => [HASH],
    async statePath(type, key) {
      this.paths += 1;
      return tables.byKind(kindOf.get(type)!).path(key);
    },
    subCacheMerkleRoots: async () => {
      throw new ConnectionClosedError("node", "closed the connection");
    },
  };
}

test("names the entries that differ, also those that only the node changed, at a node that does not trust this host", async () => {
  const [ours, theirs] = [stateWithAccounts(), stateWithAccounts()];
  give(ours, 17);
  give(theirs, 1_500);
  give(ours, ACCOUNTS);
  give(theirs, ACCOUNTS + 1);
  const subCacheMerkleRoots = updateTrees(ours);
  const stateHash = sha3OfMany(updateTrees(theirs));
  const trees = ours.stateTables().map((table) => table.tree());
  const node = strangeNode(theirs);
  const rejected = { height: HEIGHT, hash: HASH, stateHash, subCacheMerkleRoots, trees, changes: [] };

  const comparison = await compareWithNode(node, rejected, (kind) => ours.byKind(kind).keys());

  const positionOf = (number: number) => stateTreeKey(addressOf(number)).toString("hex");
  const named = [
    { key: addressOf(17), position: positionOf(17), isIn: "both" },
    { key: addressOf(1_500), position: positionOf(1_500), isIn: "both" },
    { key: addressOf(ACCOUNTS), position: positionOf(ACCOUNTS), isIn: "ours" },
    { key: undefined, position: positionOf(ACCOUNTS + 1), isIn: "node" },
  ].map((entry) => ({ kind: "account", ...entry }));
  expect(comparison).toMatchObject({ hasProvenRoots: false, kinds: ["account"] });
  expect([...comparison.entries].sort(byPosition)).toEqual(named.sort(byPosition));
  const text = describeComparison(comparison);
  expect(text).toContain(`account ${addressOf(1_500).toString("hex").toUpperCase()}`);
  expect(text).toContain(`${positionOf(ACCOUNTS + 1).toUpperCase()} (which only the node has)`);
  expect(node.paths).toBeLessThan(30);
});

test("trees of any shape: exactly the entries that differ are found", async () => {
  const random = new SeededRandom(7);
  for (let round = 0; round < 200; ++round) {
    const values = new Map<string, [number, number]>();
    for (let count = random.below(60); count > 0; --count) {
      const value = random.below(4);
      values.set(
        `${random.below(1_000_000)}`,
        random.below(3) > 0 ? [value, value] : [random.below(4), random.below(4)],
      );
    }
    const [first, second] = [0, 1].map((side) => treeOf([...values].map(([key, sides]) => [key, sides[side]!])));
    const found: TreeDifference[] = [];
    for await (const difference of treeDifferences(first!, second!)) found.push(difference);

    const expected = [...values].filter(([, [left, right]]) => left !== right);
    for (const [key, [left, right]] of expected) {
      const position = stateTreeKey(Buffer.from(key)).toString("hex");
      const sides = left === 0 ? ["second"] : right === 0 ? ["first"] : ["both"];
      expect(sides).toContain(found.find((one) => position.startsWith(one.position))?.isIn);
    }
    for (const one of found) {
      expect(expected.some(([key]) => stateTreeKey(Buffer.from(key)).toString("hex").startsWith(one.position))).toBe(
        true,
      );
    }
  }
});

/** The tree of these entries; value 0 means that there is none. */
function treeOf(entries: readonly (readonly [string, number])[]): TreeView {
  const table = new StateTable<string, number>(new Journal(), {
    keyBytes: (key) => Buffer.from(key),
    serialize: (value) => Buffer.of(1, 0, value),
  });
  for (const [key, value] of entries) if (value > 0) table.set(key, value);
  const root = table.updateTree(1);
  const tree: StateTree = table.tree();
  return new TreeView(async (prefix) => tree.path(Buffer.from(prefix.padEnd(64, "0"), "hex")), root);
}

function byPosition(left: { readonly position: string }, right: { readonly position: string }): number {
  return left.position < right.position ? -1 : 1;
}
