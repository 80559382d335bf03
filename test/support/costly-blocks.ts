import { createHash } from "node:crypto";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import type { ExecutableTransaction } from "../../ledger/rules/notifications.js";
import {
  accountLink,
  addressAlias,
  childNamespace,
  globalRestriction,
  metadata,
  rootNamespace,
  secretLock,
  secretProof,
} from "../devnet/state-descriptors.js";
import {
  CURRENCY,
  type Descriptor,
  mosaicDefinition,
  mosaicOf,
  NETWORK,
  supplyChange,
  type TestChain,
  transfer,
} from "../devnet/state-test-chain.js";
import {
  addressValueOf,
  chainWithMainLimits,
  inAggregates,
  MAIN_LIMITS,
  MANY,
  modification,
  multisigTree,
  named,
  prepare,
  signersOf,
  someAddress,
  times,
  withMosaics,
  withMosaicsOf,
  withRules,
} from "./main-limits.js";
import { namespaceIdOf } from "./namespace-ids.js";

/** A block whose transactions are the largest of a type. */
export interface CostlyBlock {
  /** What is in it. */
  readonly name: string;
  /** A chain with the state before the block, and the block's transactions. */
  build(): { readonly chain: TestChain; readonly transactions: readonly ExecutableTransaction[] };
}

/** Transfers that give an account one unit of each mosaic. */
function giving(recipient: string, mosaics: readonly bigint[]): Descriptor[] {
  const size = MAIN_LIMITS.mosaicsPerTransfer;
  return times(Math.ceil(mosaics.length / size), (index) =>
    transfer(
      recipient,
      mosaics.slice(index * size, (index + 1) * size).map((id) => [id, 1n]),
    ),
  );
}

/** Restrictions that fill a list, and then empty it, again and again. */
function listChanges(count: number, change: (isAddition: boolean) => Descriptor): Descriptor[] {
  return times(count, (index) => change(index % 2 === 0));
}

function restrictionOf(kind: string, flags: string, values: readonly unknown[], isAddition: boolean): Descriptor {
  return {
    type: `account_${kind}_restriction_transaction_v1`,
    restrictionFlags: flags,
    restrictionAdditions: isAddition ? [...values] : [],
    restrictionDeletions: isAddition ? [] : [...values],
  } as Descriptor;
}

/** Transfers of the currency between two accounts, to which the others are compared. */
export const TRANSFERS: CostlyBlock = {
  name: "transfers",
  build: () => {
    const chain = chainWithMainLimits();
    const recipients = named("recipient", 300);
    prepare(
      chain,
      "alice",
      recipients.map((name) => transfer(name, [[CURRENCY, 1n]])),
    );
    const transactions = times(3_000, (index) =>
      chain.transaction("alice", transfer(recipients[index % recipients.length]!, [[CURRENCY, 1n]])),
    );
    return { chain, transactions };
  },
};

function blockOf(
  name: string,
  descriptors: (chain: TestChain) => readonly Descriptor[],
  signer = "alice",
): CostlyBlock {
  return {
    name,
    build: () => {
      const chain = chainWithMainLimits();
      return { chain, transactions: inAggregates(chain, signer, descriptors(chain)) };
    },
  };
}

const TYPES = [..."x".repeat(MAIN_LIMITS.restrictionValues)].map((_, index) => 0x4000 + 7 + index);

/**
 * Blocks of the largest transactions of each type, and of small ones on entries that are as large as they may be, without
 * those that take less time than transfers.
 */
export const COSTLY_BLOCKS: readonly CostlyBlock[] = [
  blockOf("transfers of 255 mosaics between owners of 1,000", (chain) => {
    const mosaics = withMosaics(chain, MAIN_LIMITS.mosaicsPerAccount - 1);
    prepare(chain, "alice", giving("bob", mosaics));
    return times(25, () => giving("bob", mosaics.slice(0, 1_000))).flat();
  }),
  blockOf("small transfers between owners of 1,000 mosaics", (chain) => {
    const mosaics = withMosaics(chain, MAIN_LIMITS.mosaicsPerAccount - 1);
    prepare(chain, "alice", giving("bob", mosaics));
    return times(MANY, (index) => transfer("bob", [[mosaics[index % mosaics.length]!, 1n]]));
  }),
  blockOf("mosaic restrictions of 100 values", () =>
    listChanges(MANY, (isAddition) =>
      restrictionOf(
        "mosaic",
        "mosaic_id block",
        times(MAIN_LIMITS.restrictionValues, (index) => BigInt(index * 7 + 1)),
        isAddition,
      ),
    ),
  ),
  blockOf("operation restrictions of 100 values", () =>
    listChanges(MANY, (isAddition) => restrictionOf("operation", "transaction_type outgoing block", TYPES, isAddition)),
  ),
  blockOf("transfers between accounts with four lists of 100", (chain) => {
    const values = times(MAIN_LIMITS.restrictionValues, (index) => Uint8Array.from(someAddress(index)));
    const ids = times(MAIN_LIMITS.restrictionValues, (index) => BigInt(index * 7 + 1));
    for (const signer of ["alice", "bob"]) {
      prepare(chain, signer, [
        restrictionOf("address", "address block", values, true),
        restrictionOf("address", "address outgoing block", values, true),
        restrictionOf("mosaic", "mosaic_id block", ids, true),
        restrictionOf(
          "operation",
          "transaction_type outgoing block",
          TYPES.map((type) => type + 1_000),
          true,
        ),
      ]);
    }
    return times(MANY, () => transfer("bob", [[CURRENCY, 1n]]));
  }),
  blockOf("transfers of 255 mosaics with 20 rules each", (chain) => {
    const mosaics = withMosaics(chain, MAIN_LIMITS.mosaicsPerTransfer, { flags: "transferable restrictable" });
    withRules(chain, mosaics);
    return times(20, () => giving("bob", mosaics)).flat();
  }),
  blockOf("transfers of 255 mosaics with 20 rules that refer to others", (chain) => {
    const mosaics = withMosaics(chain, MAIN_LIMITS.mosaicsPerTransfer, { flags: "transferable restrictable" });
    const owners = withMosaicsOf(chain, MAIN_LIMITS.mosaicRestrictions);
    withRules(chain, mosaics, owners);
    return times(20, () => giving("bob", mosaics)).flat();
  }),
  blockOf("values of one account for 20 rules", (chain) => {
    prepare(chain, "alice", [mosaicDefinition("alice", 4, { flags: "transferable restrictable" })]);
    const keys = times(MAIN_LIMITS.mosaicRestrictions, BigInt);
    prepare(
      chain,
      "alice",
      keys.flatMap((key) => [globalRestriction(key), addressValueOf("bob", key, undefined, 1n)]),
    );
    return times(MANY, (index) => {
      const previous = 1n + BigInt(Math.floor(index / keys.length));
      return addressValueOf("bob", keys[index % keys.length]!, previous, previous + 1n);
    });
  }),
  blockOf("changes of one value of 1,024 bytes", (chain) => {
    prepare(chain, "alice", [metadata("alice", "x".repeat(MAIN_LIMITS.valueSize))]);
    const change = (last: number) => "\0".repeat(MAIN_LIMITS.valueSize - 1) + String.fromCharCode(last);
    return times(MANY, (index) => ({ ...metadata("alice", change(index % 2)), valueSizeDelta: 0 }));
  }),
  blockOf("root namespaces", () => times(MANY, (index) => rootNamespace(`root${index}`))),
  blockOf("renewals of roots with 100 children", (chain) => {
    prepare(chain, "alice", withChildren("root"));
    return times(MANY, () => rootNamespace("root", 12n));
  }),
  blockOf("children of roots", () =>
    times(5, (root) => withChildren(`root${root}`).slice(0, MAIN_LIMITS.transactionsPerAggregate)).flat(),
  ),
  blockOf("transfers to an alias of mosaics by aliases", (chain) => {
    const count = MAIN_LIMITS.childNamespaces;
    const mosaics = withMosaics(chain, count);
    prepare(chain, "alice", [...withChildren("root"), rootNamespace("bob"), addressAlias("bob", "bob", "link")]);
    const names = times(count, (index) => `root.child${index}`);
    prepare(
      chain,
      "alice",
      names.map((name, index) => mosaicAliasOf(name, mosaics[index]!)),
    );
    const ids = names.map(namespaceIdOf).sort((left, right) => (left < right ? -1 : 1));
    return times(100, () => ({
      ...transfer(
        "bob",
        ids.map((id) => [id, 1n]),
      ),
      recipientAddress: aliasOf("bob"),
    }));
  }),
  blockOf("mosaic definitions and supplies of an owner of 900", (chain) => {
    withMosaics(chain, 900);
    const nonce = (index: number) => 5_000 + index;
    return times(90, (index) => [
      mosaicDefinition("alice", nonce(index)),
      supplyChange(mosaicOf("alice", nonce(index)), 5n),
    ]).flat();
  }),
  blockOf("secret locks", () => times(MANY, (index) => secretLock(`secret ${index}`))),
  blockOf("secret locks and proofs of one id", () =>
    times(MANY / 2, () => [secretLock("one"), secretProof("one")]).flat(),
  ),
  blockOf("hash locks", () =>
    times(MANY, (index) => ({
      type: "hash_lock_transaction_v1",
      mosaic: { mosaicId: CURRENCY, amount: 10_000_000n },
      duration: 100n,
      hash: Uint8Array.from(createHash("sha256").update(`${index}`).digest()),
    })),
  ),
  blockOf("remote accounts", () =>
    times(MANY, (index) => accountLink(`remote ${index >> 1}`, index % 2 === 0 ? "link" : "unlink")),
  ),
  {
    name: "multisig accounts with 24 cosignatories",
    build: () => {
      const chain = chainWithMainLimits(["alice"]);
      const transactions = times(200, (index) => {
        const cosignatories = named(`cosignatory ${index >> 4}`, 24);
        const multisig = `multisig ${index}`;
        return chain.aggregate(multisig, [modification(chain, multisig, cosignatories, [], 24)], cosignatories);
      });
      return { chain, transactions };
    },
  },
  {
    name: "aggregates for an account above 600 others",
    build: () => {
      const chain = chainWithMainLimits(["alice"]);
      const { levels } = multisigTree(chain, [24, 576, 1_000]);
      const signer = signersOf(levels, 0, "top")[0]!;
      const transactions = times(200, () => chain.aggregate(signer, [chain.embedded("top", transfer("bob"))]));
      return { chain, transactions };
    },
  },
  {
    name: "changes of a multisig account above 600 others",
    build: () => {
      const chain = chainWithMainLimits(["alice"]);
      const { levels } = multisigTree(chain, [23, 552, 1_000]);
      const signer = signersOf(levels, 0, "top")[0]!;
      const changes = times(MAIN_LIMITS.transactionsPerAggregate, (index) =>
        index % 2 === 0 ? modification(chain, "top", ["extra"], [], 0) : modification(chain, "top", [], ["extra"], 0),
      );
      return { chain, transactions: times(5, () => chain.aggregate(signer, changes, ["extra"])) };
    },
  },
];

/** A root and as many children as it may have. */
function withChildren(root: string): Descriptor[] {
  return [rootNamespace(root), ...times(MAIN_LIMITS.childNamespaces, (index) => childNamespace(root, `child${index}`))];
}

function mosaicAliasOf(name: string, mosaicId: bigint): Descriptor {
  return { type: "mosaic_alias_transaction_v1", namespaceId: namespaceIdOf(name), mosaicId, aliasAction: "link" };
}

function aliasOf(name: string): Uint8Array {
  return Uint8Array.from(encodeAliasAddress(namespaceIdOf(name), NETWORK.identifier));
}
