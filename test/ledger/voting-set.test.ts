import { describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { Properties, PropertyError } from "../../catapult/network/properties.js";
import { parseFinalizationConfig } from "../../ledger/config/finalization-config.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { votingSetAfter } from "../../ledger/finalization/voting-set.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import { votingLink } from "../devnet/state-descriptors.js";
import { account, type Descriptor, HARVESTING, TestChain, transfer } from "../devnet/state-test-chain.js";

/** Blocks of an epoch: 2 to 10 are epoch 2, 11 to 20 are epoch 3. */
const GROUPING = 10;
/** Balances of the harvesting mosaic, which tell voters apart. */
const BALANCES = { alice: 100_000n, bob: 200_000n, carol: 300_000n };
type Name = keyof typeof BALANCES;
const NAMES = Object.keys(BALANCES) as Name[];

test("the voters of an epoch do not include the ineligible ones from their epoch on", () => {
  const { alice, bob, carol } = BALANCES;
  const voters = (treasuryReissuanceEpoch: number) => {
    const finalization = { ...parseFinalizationConfig(undefined), treasuryReissuanceEpoch, ineligibleVoters };
    return votersByEpoch(
      { finalization },
      NAMES.map((name) => linkOf(name)),
    );
  };
  const ineligibleVoters = new Set([mapKey(account("bob").address)]);
  expect(voters(4)).toEqual({ 2: [], 3: [alice, bob, carol], 4: [alice, carol], 5: [alice, carol] });
  expect(voters(3)).toEqual({ 2: [], 3: [alice, carol], 4: [alice, carol], 5: [alice, carol] });
  expect(voters(6)).toMatchObject({ 5: [alice, bob, carol] });
  expect(voters(0)).toMatchObject({ 3: [alice, carol] });
});

describe("a voting key", () => {
  const { alice, bob, carol } = BALANCES;

  test("of 32 zero bytes is none", () => {
    const links = [linkOf("alice"), linkOf("bob", Buffer.alloc(32)), linkOf("carol")];
    expect(votersByEpoch({}, links)).toEqual({ 2: [], 3: [alice, carol], 4: [alice, carol], 5: [alice, carol] });
  });

  test("of two accounts counts with both balances", () => {
    const links = [linkOf("alice"), linkOf("bob", account("alice voting").publicKey), linkOf("carol")];
    expect(votersByEpoch({}, links)).toMatchObject({ 3: [alice, bob, carol] });
  });

  test("does not make an account without a balance a voter where none is required", () => {
    const balances = { ...BALANCES, bob: 0n };
    const links = NAMES.map((name) => linkOf(name));
    const footers: number[] = [];
    const note = (chain: TestChain) => footers.push(chain.state.importanceCounts().votingEligibleAccountsCount);
    expect(votersByEpoch({ minVoterBalance: 0n }, links, balances, note)).toMatchObject({ 3: [alice, carol] });
    expect(footers.at(-1)).toBe(2);
  });
});

describe("the configuration of finalization", () => {
  const finalization = { size: "3", threshold: "2" };

  test("has the defaults of a node where there is no file", () => {
    const defaults = { size: 10_000n, threshold: 6_700n, treasuryReissuanceEpoch: 0, ineligibleVoters: new Set() };
    expect(parseFinalizationConfig(undefined)).toEqual(defaults);
    expect(parseFinalizationConfig(new Properties({ finalization }))).toEqual({ ...defaults, size: 3n, threshold: 2n });
  });

  test("names the voters that are ineligible, and those that no longer are", () => {
    const { address } = account("bob");
    const properties = new Properties({
      finalization: { ...finalization, treasuryReissuanceEpoch: "481" },
      treasury_reissuance_epoch_ineligible_voter_addresses: {
        [encodeAddress(address)]: "true",
        [encodeAddress(account("carol").address)]: "false",
      },
    });
    expect(parseFinalizationConfig(properties)).toMatchObject({
      treasuryReissuanceEpoch: 481,
      ineligibleVoters: new Set([mapKey(address)]),
    });
  });

  test.each([
    ["", "section [finalization] is missing"],
    ["[finalization]\nsize = 10", "[finalization] threshold is missing"],
    ["[finalization]\nsize = 0\nthreshold = 0", "[finalization] size: expected a positive integer, not 0"],
    [
      "[finalization]\nsize = 1\nthreshold = 1\n[treasury_reissuance_epoch_ineligible_voter_addresses]\nABC = true",
      "[treasury_reissuance_epoch_ineligible_voter_addresses] ABC: expected an address of 39 base32 characters",
    ],
    [
      "[finalization]\nsize = 1\nthreshold = 1\n[treasury_reissuance_epoch_ineligible_voter_addresses]\nABC = 1",
      "[treasury_reissuance_epoch_ineligible_voter_addresses] ABC: expected true or false, not 1",
    ],
  ])("that is invalid (%j) is named", (text, problem) => {
    expect(() => parseFinalizationConfig(new Properties(text))).toThrow(new PropertyError(problem));
  });
});

/** The weights of the voters by epoch, the smallest first, on a chain with these links in block 2. */
function votersByEpoch(
  changes: Partial<NetworkConfig>,
  links: readonly Link[],
  balances: typeof BALANCES = BALANCES,
  afterBlock: (chain: TestChain) => void = () => undefined,
): Record<number, bigint[]> {
  const chain = new TestChain([...NAMES, "harvester"], {}, { ...changes, votingSetGrouping: GROUPING });
  const sets: Record<number, bigint[]> = {};
  const note = () => {
    const set = votingSetAfter(chain.state.tables, chain.state.config, chain.state.height);
    if (set) sets[set.epoch] = set.voters.map(({ weight }) => weight).sort((left, right) => Number(left - right));
  };
  note();
  chain.mine(
    ...NAMES.map((name) =>
      chain.transaction("harvester", transfer(name, balances[name] ? [[HARVESTING, balances[name]]] : [])),
    ),
    ...links.map(([name, link]) => chain.transaction(name, link)),
  );
  for (; chain.state.height < 4 * GROUPING; chain.skip(1)) {
    note();
    afterBlock(chain);
  }
  return sets;
}

type Link = readonly [Name, Descriptor];

/** Links a voting key (by default one of its own) of an account. */
function linkOf(name: Name, key = account(`${name} voting`).publicKey): Link {
  return [name, { ...votingLink(1, 100), linkedPublicKey: Uint8Array.from(key) }];
}
