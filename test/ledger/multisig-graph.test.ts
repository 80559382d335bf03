import { describe, expect, test } from "@jest/globals";
import { type ApprovalKind, Approvals, MultisigLeaves } from "../../ledger/tables/approvals.js";
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
      state.run((startTrial) => {
        rounds += 1;
        const trial = startTrial();
        const failure = trial.add(transaction, chain.now);
        return { failure, missing: trial.missingApprovals(transaction, [transaction.signerAddress]) };
      }),
    );
    expect(result).toMatchObject({ failure: "Failure_Aggregate_Missing_Cosignatures", missing: [{ needed: 24 }] });
    expect(result.missing[0]?.cosigners).toHaveLength(23);
    expect(count).toBeLessThan(rounds * (6 * links + 100 * OTHERS));
  });

  test("is walked once for a new link above or below it", async () => {
    const { multisigs } = chain.state.tables;
    const { result, count } = await countingLookUps(() => [
      multisigs.findDescendants(account("top").address, new Set()),
      multisigs.findAncestors(account("level 2 0").address, new Set()),
    ]);
    expect(result).toEqual([3, 3]);
    expect(count).toBeLessThan(3 * links);
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

  linked(address: Buffer, links: "cosignatoryAddresses" | "multisigAddresses", found: Set<string>): number {
    const levels = (this.multisigs.get(address)?.[links] ?? []).map((one) => {
      found.add(mapKey(one));
      return this.linked(one, links, found) + 1;
    });
    return Math.max(0, ...levels);
  }
}

test("drawn graphs give the answers of a walk along every path, also after changes", () => {
  const random = new SeededRandom();
  const addresses = Array.from({ length: 14 }, (_, index) => Buffer.alloc(24, index + 1));
  const kinds = ["approval", "removal", "both"] as const;
  const sorted = (keys: Iterable<string>) => [...new Set(keys)].sort();
  for (let graph = 0; graph < 60; ++graph) {
    const multisigs = new MultisigEntries(new Journal());
    const link = () => {
      // From a lower index to a higher one, so there is no loop.
      const [upper, lower] = random.some([...addresses.keys()], 2).sort((one, other) => one - other);
      multisigs.addCosignatory(addresses[upper!]!, addresses[lower!]!);
    };
    for (let links = 4 + random.below(30); links > 0; --links) link();
    const signers = random.some(addresses, 1 + random.below(addresses.length));
    const approvals = new Approvals(signers);
    const naive = new NaiveWalk(multisigs, new Set(signers.map(mapKey)));
    for (let change = 0; change < 3; ++change) {
      for (const address of random.some(addresses, 5))
        multisigs.changeSettings(address, random.below(2), random.below(2));
      for (const address of addresses) {
        for (const kind of kinds) {
          expect(approvals.isGivenBy(address, kind, multisigs)).toBe(naive.isGivenBy(address, kind));
        }
        expect(sorted(new MultisigLeaves(multisigs).add(address).leaves)).toEqual(sorted(naive.leaves(address)));
        const [below, above, naiveBelow, naiveAbove] = [0, 1, 2, 3].map(() => new Set<string>());
        expect(multisigs.findDescendants(address, below!)).toBe(
          naive.linked(address, "cosignatoryAddresses", naiveBelow!),
        );
        expect(multisigs.findAncestors(address, above!)).toBe(naive.linked(address, "multisigAddresses", naiveAbove!));
        expect([sorted(below!), sorted(above!)]).toEqual([sorted(naiveBelow!), sorted(naiveAbove!)]);
      }
      link();
    }
  }
});
