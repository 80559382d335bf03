import { describe, expect, test } from "@jest/globals";
import { type ApprovalKind, Approvals, areEligible, leavesBelow } from "../../ledger/tables/approvals.js";
import { MultisigEntries } from "../../ledger/tables/multisig.js";
import { Journal } from "../../ledger/trees/journal.js";
import { mapKey, StateTable } from "../../ledger/trees/state-table.js";
import { account } from "../devnet/state-test-chain.js";
import { multisigGraph } from "../support/multisig-graph.js";
import { SeededRandom } from "../support/seeded-random.js";
import { sparseStateOf } from "./sparse-state-of.js";

/** How often entries of the state are looked up by `work`, and its result. */
async function countingLookUps<T>(work: () => T | Promise<T>): Promise<{ readonly result: T; readonly count: number }> {
  const { get } = StateTable.prototype;
  let count = 0;
  StateTable.prototype.get = function (key) {
    count += 1;
    return get.call(this, key);
  };
  try {
    return { result: await work(), count };
  } finally {
    StateTable.prototype.get = get;
  }
}

describe("a graph of multisig accounts in which many paths lead to each", () => {
  // Three levels of 24 have 13,824 paths and 1,176 links.
  const graph = multisigGraph();
  const { chain, links } = graph;
  /** Of an embedded transaction besides the graph. */
  const OTHERS = 30;

  test("is walked once for an aggregate that is executed, however many transactions it has", async () => {
    const transaction = graph.aggregate(100);
    const { count } = await countingLookUps(() => chain.mine(transaction));
    expect(count).toBeLessThan(2 * links + 100 * OTHERS);
  });

  test("is walked a few times for one that is tried, and for what it lacks", async () => {
    const transaction = graph.aggregate(100, 12);
    const state = sparseStateOf(chain.state, []);
    let rounds = 0;
    const { result, count } = await countingLookUps(() =>
      state.run((startDryRun) => {
        rounds += 1;
        const dryRun = startDryRun();
        const failure = dryRun.add(transaction, chain.now);
        return { failure, missing: dryRun.missingApprovals(transaction, [transaction.signerAddress]) };
      }),
    );
    expect(result).toMatchObject({ failure: "Failure_Aggregate_Missing_Cosignatures", missing: [{ needed: 24 }] });
    expect(result.missing[0]?.cosigners).toHaveLength(23);
    expect(count).toBeLessThan(rounds * (6 * links + 100 * OTHERS));
  });

  test("is walked once for a new link above or below it", async () => {
    const { multisigs } = chain.state.tables;
    const { result, count } = await countingLookUps(() => [
      multisigs.levels(account("top").address, "below"),
      multisigs.levels(account("level 2 0").address, "above"),
    ]);
    expect(result).toEqual([3, 3]);
    expect(count).toBeLessThan(3 * links);
  });
});

describe("a graph of multisig accounts that is a tree", () => {
  const WIDTH = 24;
  const named = (name: string) => account(name).address;
  const multisigs = new MultisigEntries(new Journal());
  const middle = Array.from({ length: WIDTH }, (_, index) => named(`middle ${index}`));
  const lower = middle.map((_, index) => Array.from({ length: WIDTH }, (__, one) => named(`lower ${index} ${one}`)));
  const leaf = named("leaf");
  const require = (multisig: Buffer) => multisigs.changeSettings(multisig, 1, 1);
  for (const [index, one] of middle.entries()) {
    multisigs.addCosignatory(named("top"), one);
    for (const below of lower[index]!) multisigs.addCosignatory(one, below);
    require(one);
  }
  require(named("top"));
  multisigs.addCosignatory(lower[7]![7]!, leaf);
  require(lower[7]![7]!);

  test("is walked half-way from above, and half-way from the signers", async () => {
    const { result, count } = await countingLookUps(() => [
      areEligible([leaf], [named("top")], multisigs, 3),
      new Approvals([leaf], 3).isGivenBy(named("top"), "approval", multisigs),
      areEligible([named("nobody")], [named("top")], multisigs, 3),
      new Approvals([named("nobody")], 3).isGivenBy(named("top"), "approval", multisigs),
    ]);
    expect(result).toEqual([true, true, false, false]);
    expect(count).toBeLessThan(4 * (WIDTH + 10));
  });

  test("is not walked again after each change of it", async () => {
    const approvals = new Approvals([leaf], 3);
    approvals.isGivenBy(named("top"), "approval", multisigs);
    multisigs.levels(named("top"), "below");
    const changes = 50;
    const { result, count } = await countingLookUps(() => {
      let levels = 0;
      for (let change = 0; change < changes; ++change) {
        if (change % 2 === 0) multisigs.addCosignatory(middle[3]!, named("another"));
        else multisigs.removeCosignatory(middle[3]!, named("another"));
        if (approvals.isGivenBy(named("top"), "approval", multisigs)) levels += multisigs.levels(named("top"), "below");
      }
      return levels;
    });
    expect(result).toBe(3 * changes);
    expect(count).toBeLessThan(changes * 30);
  });
});

/** The rules as nodes have them: each path is walked. */
class NaiveWalk {
  readonly multisigs: MultisigEntries;
  readonly signed: ReadonlySet<string>;

  constructor(multisigs: MultisigEntries, signed: ReadonlySet<string>) {
    this.multisigs = multisigs;
    this.signed = signed;
  }

  isGivenBy(address: Buffer, kind: ApprovalKind): boolean {
    const entry = this.multisigs.get(address);
    if (!entry?.cosignatoryAddresses.length) return this.signed.has(mapKey(address));
    const given = entry.cosignatoryAddresses.filter((one) => this.isGivenBy(one, kind)).length;
    const { minApproval, minRemoval } = entry;
    const needed = { approval: minApproval, removal: minRemoval, both: Math.max(minApproval, minRemoval) };
    return given >= needed[kind];
  }

  leaves(address: Buffer): string[] {
    const { cosignatoryAddresses = [] } = this.multisigs.get(address) ?? {};
    return cosignatoryAddresses.length ? cosignatoryAddresses.flatMap((one) => this.leaves(one)) : [mapKey(address)];
  }

  levels(address: Buffer, links: "cosignatoryAddresses" | "multisigAddresses"): number {
    return Math.max(0, ...(this.multisigs.get(address)?.[links] ?? []).map((one) => this.levels(one, links) + 1));
  }

  isBelow(address: Buffer, upper: Buffer): boolean {
    const uppers = this.multisigs.get(address)?.multisigAddresses ?? [];
    return uppers.some((one) => one.equals(upper) || this.isBelow(one, upper));
  }
}

test.each([3, 13])(
  "drawn graphs of %i levels give the answers of a walk along every path, also after changes",
  (max) => {
    const random = new SeededRandom();
    const addresses = Array.from({ length: 14 }, (_, index) => Buffer.alloc(24, index + 1));
    const kinds = ["approval", "removal", "both"] as const;
    const sorted = (keys: Iterable<string>) => [...new Set(keys)].sort();
    for (let graph = 0; graph < 25; ++graph) {
      const journal = new Journal();
      const multisigs = new MultisigEntries(journal);
      const levelOf = (index: number) => Math.floor((index * (max + 1)) / addresses.length);
      const change = (isAddition: boolean) => {
        // From a lower level to a higher one, so there is no loop.
        const [upper, lower] = random.some([...addresses.keys()], 2).sort((one, other) => one - other);
        if (levelOf(upper!) === levelOf(lower!)) return;
        const [multisig, cosignatory] = [addresses[upper!]!, addresses[lower!]!];
        if (isAddition) multisigs.addCosignatory(multisig, cosignatory);
        else multisigs.removeCosignatory(multisig, cosignatory);
        // Every multisig account of a network requires a cosignatory.
        const settings = multisigs.get(multisig);
        if (settings?.minApproval === 0) multisigs.changeSettings(multisig, 1, 1);
      };
      for (let links = 4 + random.below(30); links > 0; --links) change(true);
      const signers = random.some(addresses, 1 + random.below(addresses.length));
      const approvals = new Approvals(signers, max);
      const naive = new NaiveWalk(multisigs, new Set(signers.map(mapKey)));
      const checkpoint = journal.checkpoint();
      for (let round = 0; round < 6; ++round) {
        for (const address of random.some(addresses, 5))
          multisigs.changeSettings(address, random.below(2), random.below(2));
        for (const address of addresses) {
          for (const kind of kinds) {
            expect(approvals.isGivenBy(address, kind, multisigs)).toBe(naive.isGivenBy(address, kind));
          }
          expect(sorted(leavesBelow(mapKey(address), multisigs))).toEqual(sorted(naive.leaves(address)));
          expect(multisigs.levels(address, "below")).toBe(naive.levels(address, "cosignatoryAddresses"));
          expect(multisigs.levels(address, "above")).toBe(naive.levels(address, "multisigAddresses"));
          const other = addresses[random.below(addresses.length)]!;
          if (other !== address) expect(multisigs.isBelow(address, other)).toBe(naive.isBelow(address, other));
          const leaves = new Set([address, other].flatMap((one) => naive.leaves(one)));
          const cosigners = random.some(addresses, 1 + random.below(3));
          expect(areEligible(cosigners, [address, other], multisigs, max)).toBe(
            cosigners.every((one) => leaves.has(mapKey(one))),
          );
        }
        if (round === 3) journal.revertTo(checkpoint);
        else change(random.below(3) > 0);
      }
    }
  },
);
