import { createHash } from "node:crypto";
import type { models } from "symbol-sdk/symbol";
import type { ExecutableTransaction } from "../../ledger/rules/notifications.js";
import { globalRestriction } from "../devnet/state-descriptors.js";
import {
  addressOf,
  type Descriptor,
  mosaicDefinition,
  mosaicOf,
  NETWORK,
  supplyChange,
  TestChain,
} from "../devnet/state-test-chain.js";

/** The main network's limits of what may be in a block and in an entry of the state. */
export const MAIN_LIMITS = {
  transactionsPerBlock: 6_000,
  transactionsPerAggregate: 100,
  cosignatures: 25,
  mosaicsPerAccount: 1_000,
  mosaicsPerTransfer: 255,
  restrictionValues: 100,
  mosaicRestrictions: 20,
  cosignatories: 25,
  multisigDepth: 3,
  childNamespaces: 100,
  valueSize: 1_024,
} as const;

/** A chain with the main network's limits. */
export function chainWithMainLimits(funded: readonly string[] = ["alice", "bob"]): TestChain {
  const { config } = new TestChain([]).state;
  return new TestChain(
    funded,
    {},
    {
      maxTransactionsPerBlock: MAIN_LIMITS.transactionsPerBlock,
      maxVotingKeysPerAccount: 3,
      aggregate: {
        ...config.aggregate,
        maxTransactions: MAIN_LIMITS.transactionsPerAggregate,
        maxCosignatures: MAIN_LIMITS.cosignatures,
      },
      mosaic: { ...config.mosaic, maxMosaicsPerAccount: MAIN_LIMITS.mosaicsPerAccount, rentalFee: 0n },
      multisig: {
        maxDepth: MAIN_LIMITS.multisigDepth,
        maxCosignatoriesPerAccount: MAIN_LIMITS.cosignatories,
        maxCosignedAccountsPerAccount: MAIN_LIMITS.cosignatories,
      },
      namespace: { ...config.namespace, maxChildNamespaces: MAIN_LIMITS.childNamespaces, childRentalFee: 0n },
      secretLock: { ...config.secretLock, maxProofSize: MAIN_LIMITS.valueSize },
      accountRestriction: { maxValues: MAIN_LIMITS.restrictionValues },
      mosaicRestriction: { maxValues: MAIN_LIMITS.mosaicRestrictions },
    },
  );
}

/** As many items as `count`, each made from its index. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Transactions of one signer, embedded in aggregates that are as full as they may be. */
export function inAggregates(
  chain: TestChain,
  signer: string,
  descriptors: readonly Descriptor[],
  cosigners: readonly string[] = [],
): ExecutableTransaction[] {
  const size = MAIN_LIMITS.transactionsPerAggregate;
  return times(Math.ceil(descriptors.length / size), (index) => {
    const part = descriptors.slice(index * size, (index + 1) * size);
    return chain.aggregate(
      signer,
      part.map((one) => chain.embedded(signer, one)),
      cosigners,
    );
  });
}

/** Mines these transactions of one signer, in blocks that are as full as they may be. */
export function prepare(chain: TestChain, signer: string, descriptors: readonly Descriptor[]): void {
  const perBlock = 50 * MAIN_LIMITS.transactionsPerAggregate;
  for (let start = 0; start < descriptors.length; start += perBlock) {
    chain.mine(...inAggregates(chain, signer, descriptors.slice(start, start + perBlock)));
  }
}

/** A valid address without an account. */
export function someAddress(number: number): Buffer {
  const bytes = createHash("sha256").update(`address ${number}`).digest().subarray(0, 24);
  bytes[0] = NETWORK.identifier;
  return bytes;
}

/** Names with numbers from 0 on. */
export function named(name: string, count: number): string[] {
  return times(count, (index) => `${name} ${index}`);
}

/** As many transactions as fit into five aggregates: enough for a cost per byte. */
export const MANY = 5 * MAIN_LIMITS.transactionsPerAggregate;

/** A change of a multisig account; both numbers of required signatures change by `delta`. */
export function modification(
  chain: TestChain,
  multisig: string,
  additions: readonly string[],
  deletions: readonly string[],
  delta: number,
): models.EmbeddedTransaction {
  return chain.embedded(multisig, {
    type: "multisig_account_modification_transaction_v1",
    minApprovalDelta: delta,
    minRemovalDelta: delta,
    addressAdditions: additions.map(addressOf),
    addressDeletions: deletions.map(addressOf),
  });
}

/** As many as can sign when they are added at once. */
const COSIGNATORIES = MAIN_LIMITS.cosignatures - 1;

/**
 * Multisig accounts below `top` in levels of these widths: the cosignatories of an account are 24 of the next level, or
 * all of a smaller one, and one of them is enough.
 */
export function multisigTree(chain: TestChain, widths: readonly number[]): { readonly levels: readonly string[][] } {
  const levels = [["top"], ...widths.map((width, level) => named(`level ${level}`, width))];
  const most = COSIGNATORIES;
  for (let level = levels.length - 2; level >= 0; --level) {
    const below = levels[level + 1]!;
    for (const [index, name] of levels[level]!.entries()) {
      const first = (index * most) % below.length;
      const cosignatories = times(Math.min(most, below.length), (one) => below[(first + one) % below.length]!);
      const signers = new Set([name, ...cosignatories.flatMap((one) => signersOf(levels, level + 1, one))]);
      const [signer, ...others] = signers;
      chain.mine(chain.aggregate(signer!, [modification(chain, name, cosignatories, [], 1)], others));
    }
  }
  return { levels };
}

/** Who has to sign for an account of a level: itself at the lowest, or the first cosignatory below. */
export function signersOf(levels: readonly string[][], level: number, name: string): string[] {
  const below = levels[level + 1];
  if (!below) return [name];
  const index = levels[level]!.indexOf(name);
  return signersOf(levels, level + 1, below[(index * COSIGNATORIES) % below.length]!);
}

/** Mosaics of `alice`, with a supply, and their ids in ascending order. */
export function withMosaics(chain: TestChain, count: number, change: Record<string, unknown> = {}): bigint[] {
  const nonces = times(count, (index) => 100 + index);
  prepare(
    chain,
    "alice",
    nonces.flatMap((nonce) => [
      mosaicDefinition("alice", nonce, change),
      supplyChange(mosaicOf("alice", nonce), 1_000_000_000n),
    ]),
  );
  return nonces.map((nonce) => mosaicOf("alice", nonce)).sort((left, right) => (left < right ? -1 : 1));
}

/** A new value of an account for a rule of the mosaic 4 of `alice`. */
export function addressValueOf(target: string, key: bigint, previous: bigint | undefined, value: bigint): Descriptor {
  return {
    type: "mosaic_address_restriction_transaction_v1",
    mosaicId: mosaicOf("alice", 4),
    restrictionKey: key,
    previousRestrictionValue: previous ?? 0xffff_ffff_ffff_ffffn,
    newRestrictionValue: value,
    targetAddress: addressOf(target),
  };
}

/** Mosaics of `alice` to which rules may refer. */
export function withMosaicsOf(chain: TestChain, count: number): bigint[] {
  const nonces = times(count, (index) => 50 + index);
  prepare(
    chain,
    "alice",
    nonces.map((nonce) => mosaicDefinition("alice", nonce, { flags: "transferable restrictable" })),
  );
  return nonces.map((nonce) => mosaicOf("alice", nonce));
}

/** Gives each mosaic as many rules as it may have, and `alice` and `bob` the values that they need. */
export function withRules(chain: TestChain, mosaics: readonly bigint[], references: readonly bigint[] = []): void {
  const keys = times(MAIN_LIMITS.mosaicRestrictions, BigInt);
  const valuesOf = (mosaicId: bigint, of: readonly bigint[]) =>
    of.flatMap((key) => ["alice", "bob"].map((name) => ({ ...addressValueOf(name, key, undefined, 1n), mosaicId })));
  const ruleOf = (mosaicId: bigint, key: bigint, referenceMosaicId = 0n) =>
    globalRestriction(key, { mosaicId, referenceMosaicId });
  for (const [index, mosaicId] of references.entries()) {
    prepare(chain, "alice", [ruleOf(mosaicId, BigInt(index)), ...valuesOf(mosaicId, [BigInt(index)])]);
  }
  prepare(
    chain,
    "alice",
    mosaics.flatMap((mosaicId) => [
      ...keys.map((key) => ruleOf(mosaicId, key, references[Number(key)])),
      ...(references.length > 0 ? [] : valuesOf(mosaicId, keys)),
    ]),
  );
}
