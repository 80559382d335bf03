import { describe, expect, test } from "@jest/globals";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { FinalizationStage, type Votes, writeFinalizationProof } from "../../devnet/chain/finalization-proof.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { type FinalizationConfig, parseFinalizationConfig } from "../../ledger/config/finalization-config.js";
import { verifyFinalizationProof } from "../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../ledger/finalization/voting-set.js";

/** Epoch 3 of these tests: blocks 11 to 20. */
const GROUPING = 10;
const EPOCH = 3;
const { prevote, precommit } = FinalizationStage;
const DEFAULTS = parseFinalizationConfig(undefined);

/** As many as vote on the main network. */
const SEVENTEEN = Array.from({ length: 17 }, (_, index) => `voter-${index}`);
const NAMES = ["alice", "bob", "carol", "dave", ...SEVENTEEN];
const VOTERS = Object.fromEntries(NAMES.map((name) => [name, deriveDevnetKeys(name)]));
type Weights = readonly (readonly [name: string, weight: bigint])[];
const FOUR: Weights = [
  ["alice", 30n],
  ["bob", 30n],
  ["carol", 30n],
  ["dave", 10n],
];

/** The block at a height, or one of another branch. */
const hashOf = (height: number, branch = 0) => Buffer.alloc(32, height + 100 * branch);
const hashesOf = (from: number, to: number, branch = 0) =>
  Array.from({ length: to - from + 1 }, (_, index) => hashOf(from + index, branch));

/** Equal votes for the blocks from one height to another. */
function votes(stage: number, names: string, from: number, to = from, branch = 0): Votes {
  const voters = names.split(" ").map((name) => VOTERS[name]!);
  return { stage, height: from, hashes: hashesOf(from, to, branch), voters };
}

interface ProofOptions {
  readonly finalization?: FinalizationConfig;
  readonly hash?: Buffer;
  readonly change?: (proof: Buffer) => void;
}

/** Where the stage of the first group is: after the header of the proof and three sizes. */
const FIRST_STAGE = 56 + 12;

/** Why the votes do not make a block final; undefined if they do. */
function problemOf(
  height: number,
  groups: readonly Votes[],
  weights: Weights = FOUR,
  { finalization = DEFAULTS, hash = hashOf(height), change = () => {} }: ProofOptions = {},
): string | undefined {
  const voters = weights.map(([name, weight]) => ({ publicKey: VOTERS[name]!.votingRoot.publicKey, weight }));
  const set: VotingSet = { epoch: EPOCH, height: 10, voters };
  const proof = writeFinalizationProof({ epoch: EPOCH, point: 1, height, hash }, groups);
  change(proof);
  try {
    verifyFinalizationProof(decodeFinalizationProof(proof), set, { votingSetGrouping: GROUPING, finalization });
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^finalization proof of epoch 3, point 1: /, "");
  }
}

describe("a precommit", () => {
  const others = [votes(precommit, "alice bob carol", 16), votes(prevote, "alice bob carol dave", 10, 16)];

  test("for a block after the epoch has no effect, and does not invalidate the votes of others", () => {
    expect(problemOf(16, [...others, votes(precommit, "dave", 21)])).toBeUndefined();
    const farAway = { ...votes(precommit, "dave", 21), height: 2n ** 64n - 1n };
    expect(problemOf(16, [...others, farAway])).toBeUndefined();
    const wrapping = { ...votes(prevote, "dave", 1, 3), height: 2n ** 64n - 1n };
    expect(problemOf(16, [others[0]!, votes(prevote, "alice bob carol", 10, 16), wrapping])).toMatch(
      /hashes belong to blocks of an earlier epoch/,
    );
    const tooFew = [votes(precommit, "alice bob", 16), votes(precommit, "carol", 21), others[1]!];
    expect(problemOf(16, tooFew)).toBe("hash has precommits of 60 of 100: 67 are needed");
    expect(problemOf(16, [...others, votes(precommit, "dave", 9)])).toMatch(/hashes belong to blocks of an earlier/);
    expect(problemOf(20, [votes(precommit, "alice bob carol", 20), votes(prevote, "alice bob carol", 18, 21)])).toMatch(
      /hashes belong to blocks of a later epoch/,
    );
  });

  test("counts for the ancestors of its block in all prevotes, though no prevote names both", () => {
    const shifted = [
      votes(precommit, "alice bob carol", 18),
      votes(prevote, "alice", 14, 16),
      votes(prevote, "bob", 15, 17),
      votes(prevote, "carol", 16, 18),
      votes(prevote, "dave", 10, 14),
    ];
    expect(problemOf(16, shifted)).toBeUndefined();
    expect(problemOf(16, [shifted[0]!, shifted[1]!, votes(prevote, "bob carol", 16, 17)])).toBe(
      "hash has precommits of 0 of 100: 67 are needed",
    );
    // the branch of block 17 begins with it in the first prevote that names it
    const [first, ...rest] = shifted;
    expect(problemOf(16, [first!, votes(prevote, "dave", 17), ...rest.slice(0, 3)])).toBe(
      "hash has precommits of 0 of 100: 67 are needed",
    );
  });
});

describe("a stage in several groups", () => {
  /** As the main network's proof of epoch 4,027: 2 and 15 prevotes from one height on. */
  function groupsOf(few: string, options: { readonly to: number; readonly branch?: number }): Votes[] {
    const [fewHashes, many] = [hashesOf(10, options.to - 1), SEVENTEEN.slice(2).join(" ")];
    const fewPrevotes = { ...votes(prevote, few, 10), hashes: [...fewHashes, hashOf(options.to, options.branch)] };
    return [votes(precommit, SEVENTEEN.join(" "), 16), fewPrevotes, votes(prevote, many, 10, 17)];
  }
  const both = "voter-0 voter-1";
  const weights = (first: bigint, second: bigint): Weights =>
    SEVENTEEN.map((name, index) => [name, [first, second][index] ?? 4n]);

  test("counts for the blocks that all of them name", () => {
    for (const to of [16, 18]) {
      const [precommits, few, many] = groupsOf(both, { to }) as [Votes, Votes, Votes];
      expect(problemOf(16, [precommits, few, many], weights(20n, 20n))).toBeUndefined();
      expect(problemOf(16, [many, few, precommits], weights(20n, 20n))).toBeUndefined();
      expect(problemOf(16, [precommits, many], weights(20n, 20n))).toMatch("prevotes of 60 of 100: 67 are needed");
      expect(problemOf(16, [precommits, few], weights(20n, 20n))).toMatch("prevotes of 40 of 100: 67 are needed");
    }
    const forked = groupsOf(both, { to: 16, branch: 1 });
    expect(problemOf(16, forked, weights(20n, 20n))).toMatch("prevotes of 60 of 100: 67 are needed");
    expect(problemOf(15, forked, weights(20n, 20n))).toBeUndefined();
  });

  test("is enough from the threshold on, whichever group the last vote is in", () => {
    expect(problemOf(16, groupsOf("voter-0", { to: 16 }), weights(7n, 33n))).toBeUndefined();
    expect(problemOf(16, groupsOf("voter-0", { to: 16 }), weights(6n, 34n))).toMatch("prevotes of 66 of 100");
  });
});

describe("what a node does not read in a proof, any peer may have written:", () => {
  const groups = [votes(precommit, "alice bob carol", 16), votes(prevote, "alice bob carol", 10, 16)];

  test("all bits of a group's stage but the lowest", () => {
    const withStage = (stage: number) => (proof: Buffer) => {
      expect(proof.readUInt32LE(FIRST_STAGE)).toBe(precommit);
      proof.writeUInt32LE(stage, FIRST_STAGE);
    };
    expect(problemOf(16, groups, FOUR, { change: withStage(3) })).toBeUndefined();
    expect(problemOf(16, groups, FOUR, { change: withStage(0xffff_ffff) })).toBeUndefined();
    expect(problemOf(16, groups, FOUR, { change: withStage(2) })).toBe("messageGroups[0].signatures[0] is invalid");
  });

  test("the blocks of a group without signatures", () => {
    const noVotes = (stage: number, height: number, hashes: readonly Buffer[]): Votes => {
      return { stage, height, hashes, voters: [] };
    };
    // a block of another branch below the one with the votes, before all others
    const forged = noVotes(prevote, 15, [hashOf(15, 1), hashOf(16)]);
    for (const group of [noVotes(prevote, 16, []), noVotes(precommit, 3, hashesOf(3, 5)), forged]) {
      expect(problemOf(16, [group, ...groups])).toBeUndefined();
      expect(problemOf(15, [group, ...groups])).toBeUndefined();
    }
  });
});

test("the proven block is the best of the votes or an ancestor with enough votes, not a block of another branch", () => {
  const groups = [votes(precommit, "alice bob carol", 16), votes(prevote, "alice bob carol", 10, 16)];
  expect(problemOf(16, groups)).toBeUndefined();
  expect(problemOf(15, groups)).toBeUndefined();
  expect(problemOf(17, groups)).toBe("hash has prevotes of 0 of 100: 67 are needed");
  expect(problemOf(16, groups, FOUR, { hash: hashOf(16, 1) })).toBe("hash has prevotes of 0 of 100: 67 are needed");

  const half = { ...DEFAULTS, threshold: 3_000n };
  const branches = [
    votes(precommit, "alice", 16),
    votes(precommit, "bob", 17, 17, 1),
    votes(prevote, "alice", 10, 16),
    votes(prevote, "bob", 14, 17, 1),
  ];
  expect(problemOf(17, branches, FOUR, { finalization: half, hash: hashOf(17, 1) })).toBeUndefined();
  expect(problemOf(16, branches, FOUR, { finalization: half })).toBe(
    "hash is not on the branch of block 17, which has the votes",
  );
});

describe("the weight that is needed", () => {
  const bothStages = (names: string) => [votes(precommit, names, 16), votes(prevote, names, 10, 16)];

  test("is the share in the network's configuration", () => {
    const share = (threshold: bigint, size: bigint) => ({ finalization: { ...DEFAULTS, threshold, size } });
    expect(problemOf(16, bothStages("alice bob dave"))).toBeUndefined();
    expect(problemOf(16, bothStages("alice bob"))).toBe("hash has prevotes of 60 of 100: 67 are needed");
    expect(problemOf(16, bothStages("alice bob"), FOUR, share(3n, 5n))).toBeUndefined();
    expect(problemOf(16, bothStages("alice"), FOUR, share(3n, 5n))).toMatch(/prevotes of 30 of 100: 60 are needed/);
    expect(problemOf(16, bothStages("alice bob dave"), FOUR, share(3n, 4n))).toMatch(/70 of 100: 75 are needed/);
    expect(problemOf(16, bothStages("alice bob carol"), FOUR, share(3n, 4n))).toBeUndefined();
    // no vote is no proof, whatever the share
    expect(problemOf(16, [], FOUR, share(0n, 4n))).toMatch(/prevotes of 0 of 100/);
  });

  test("wraps at 64 bits, as in a node: from 2,753,245,384 XYM on, less than 67 % are enough", () => {
    const million = 1_000_000_000_000n;
    const weights = (alice: bigint): Weights => [
      ["alice", alice],
      ["bob", 1_000n * million],
    ];
    expect(problemOf(16, bothStages("bob"), weights(1_753n * million))).toBe(
      "hash has prevotes of 1000000000000000 of 2753000000000000: 1844510000000000 are needed",
    );
    expect(problemOf(16, bothStages("bob"), weights(2_000n * million))).toBeUndefined();
    expect(problemOf(16, bothStages("bob"), weights(3_500n * million))).toBe(
      "hash has prevotes of 1000000000000000 of 4500000000000000: 1170325592629044 are needed",
    );
  });
});

test("two accounts with the same voting key vote with the larger of their balances, and both are part of the total", () => {
  const groups = (names: string) => [votes(precommit, names, 16), votes(prevote, names, 10, 16)];
  const same = (...aliceWeights: bigint[]): Weights => [
    ...aliceWeights.map((weight) => ["alice", weight] as const),
    ["bob", 10n],
  ];
  expect(problemOf(16, groups("alice"), same(80n, 10n))).toBeUndefined();
  expect(problemOf(16, groups("alice"), same(10n, 80n))).toBeUndefined();
  expect(problemOf(16, groups("alice bob"), same(50n, 40n))).toBe("hash has prevotes of 60 of 100: 67 are needed");
});
