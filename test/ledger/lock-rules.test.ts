import { describe, expect, test } from "@jest/globals";
import { hashSecret } from "../../catapult/crypto/secret.js";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { balanceOf } from "../../ledger/tables/accounts.js";
import {
  accountLink,
  addressAlias,
  bonded,
  hashLock,
  rootNamespace,
  secretLock,
  secretProof,
} from "../devnet/state-descriptors.js";
import {
  account,
  addressOf,
  CURRENCY,
  type Descriptor,
  FUNDS,
  NETWORK,
  TestChain,
} from "../devnet/state-test-chain.js";
import { namespaceIdOf } from "../support/namespace-ids.js";

const MAX_HASH_LOCK = 34_560n;
const MAX_SECRET_LOCK = 518_400n;

/** Why a chain would reject these transactions of alice, each by itself. */
function rejectionsOf(chain: TestChain, ...descriptors: readonly Descriptor[]) {
  return descriptors.map((descriptor) => chain.rejectionOf(chain.transaction("alice", descriptor)));
}

function mine(chain: TestChain, ...descriptors: readonly Descriptor[]) {
  return chain.mine(...descriptors.map((descriptor) => chain.transaction("alice", descriptor)));
}

/** The receipts of one type in a block's statement. */
function receiptsOf(statement: Buffer, type: number) {
  return decodeStatement(statement)
    .transactionStatements.flatMap(({ receipts }) => receipts)
    .filter((receipt) => receipt.type === type) as unknown as { amount: bigint; targetAddress: Buffer }[];
}

describe("the deposit of a bonded aggregate", () => {
  test("lasts for one block to the maximum, and has one amount", () => {
    const chain = new TestChain(["alice"]);
    expect(
      rejectionsOf(
        chain,
        hashLock({ duration: 0n }),
        hashLock({ duration: 1n }),
        hashLock({ duration: MAX_HASH_LOCK }),
        hashLock({ duration: MAX_HASH_LOCK + 1n }),
        hashLock({ amount: 9_999_999n }),
        hashLock({ amount: 10_000_001n }),
      ),
    ).toEqual([
      "Failure_LockHash_Invalid_Duration",
      undefined,
      undefined,
      "Failure_LockHash_Invalid_Duration",
      "Failure_LockHash_Invalid_Mosaic_Amount",
      "Failure_LockHash_Invalid_Mosaic_Amount",
    ]);
  });

  test("is the only one for its hash until the block in which it ends", () => {
    const chain = new TestChain(["alice"]);
    mine(chain, hashLock({ duration: 3n }));
    const again = [];
    for (; chain.state.height < 6; chain.skip(1))
      again.push([chain.state.height + 1, ...rejectionsOf(chain, hashLock({}))]);
    expect(again).toEqual([
      [3, "Failure_LockHash_Hash_Already_Exists"],
      [4, "Failure_LockHash_Hash_Already_Exists"],
      [5, undefined],
      [6, undefined],
    ]);
    expect(balanceOf(chain.state.tables.accounts.require(account("alice").address), CURRENCY)).toBe(
      FUNDS - 10_000_000n,
    );
  });

  test("that is used may be followed by another one, which is paid in its own last block, to the main account", () => {
    const chain = new TestChain(["alice"]);
    const aggregate = bonded(chain);
    const deposit = (duration: bigint) => ({ ...hashLock({ duration }), hash: Uint8Array.from(aggregate.hash) });
    mine(chain, deposit(5n));
    chain.mine(aggregate, chain.transaction("harvester", accountLink("remote", "link")));
    mine(chain, deposit(6n));
    const paid = [];
    for (; chain.state.height < 10; ) {
      const { statement } = chain.mineWith({ harvester: "remote" });
      paid.push(
        receiptsOf(statement, RECEIPT_TYPE.hash_lock_expired).map(({ targetAddress }) =>
          targetAddress.equals(account("harvester").address),
        ),
      );
    }
    // blocks 5 to 10: the first one, used in block 3, would have ended in block 7
    expect(paid).toEqual([[], [], [], [], [], [true]]);
  });
});

describe("a secret lock", () => {
  test("lasts for one block to the maximum", () => {
    const chain = new TestChain(["alice"]);
    const lasting = (duration: bigint) => secretLock("open", { duration });
    expect(
      rejectionsOf(chain, lasting(0n), lasting(1n), lasting(MAX_SECRET_LOCK), lasting(MAX_SECRET_LOCK + 1n)),
    ).toEqual(["Failure_LockSecret_Invalid_Duration", undefined, undefined, "Failure_LockSecret_Invalid_Duration"]);
  });

  test("can be opened and is the only one for its secret and recipient until the block in which it ends", () => {
    const chain = new TestChain(["alice"]);
    mine(chain, secretLock("open", { duration: 3n }));
    const otherAlgorithm = { ...secretLock("other", { duration: 3n }), hashAlgorithm: "hash_256" };
    mine(chain, otherAlgorithm);
    const seen = [];
    for (; chain.state.height < 6; chain.skip(1)) {
      const tried = [secretProof("open"), secretLock("open"), secretProof("other")];
      seen.push([chain.state.height + 1, ...rejectionsOf(chain, ...tried)]);
    }
    const exists = "Failure_LockSecret_Hash_Already_Exists";
    const inactive = "Failure_LockSecret_Inactive_Secret";
    expect(seen).toEqual([
      [4, undefined, exists, "Failure_LockSecret_Hash_Algorithm_Mismatch"],
      [5, inactive, undefined, "Failure_LockSecret_Hash_Algorithm_Mismatch"],
      [6, inactive, undefined, inactive],
    ]);
    expect(rejectionsOf(chain, secretLock("open", { recipientAddress: addressOf("carol") }))).toEqual([undefined]);
  });

  test("is that of its recipient, named by its address or an alias of it", () => {
    const chain = new TestChain(["alice", "bob"]);
    mine(chain, rootNamespace("house", 100n), addressAlias("house", "bob", "link"));
    const alias = { recipientAddress: Uint8Array.from(encodeAliasAddress(namespaceIdOf("house"), NETWORK.identifier)) };
    mine(chain, secretLock("open", alias));
    const exists = "Failure_LockSecret_Hash_Already_Exists";
    expect(rejectionsOf(chain, secretLock("open"), secretLock("open", alias))).toEqual([exists, exists]);
    const { statement } = mine(chain, { ...secretProof("open"), ...alias });
    const [receipt] = receiptsOf(statement, RECEIPT_TYPE.secret_lock_completed);
    expect(receipt).toMatchObject({ amount: 10n, targetAddress: account("bob").address });
    expect(decodeStatement(statement).addressResolutions).toHaveLength(1);
  });

  test("is opened by a proof of one to 1,000 bytes", () => {
    const chain = new TestChain(["alice"]);
    const proofs = ["", "x", "x".repeat(1_000), "x".repeat(1_001)];
    mine(chain, ...proofs.map((proof) => secretLock(proof)));
    expect(rejectionsOf(chain, ...proofs.map((proof) => secretProof(proof)))).toEqual([
      "Failure_LockSecret_Proof_Size_Out_Of_Bounds",
      undefined,
      undefined,
      "Failure_LockSecret_Proof_Size_Out_Of_Bounds",
    ]);
  });

  test("has a secret by one of three algorithms; that of 20 bytes is followed by zeros", () => {
    const proof = Buffer.from("abc");
    expect([0, 1, 2, 3].map((algorithm) => hashSecret(algorithm, proof)?.toString("hex"))).toEqual([
      "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
      "bb1be98c142444d7a56aa3981c3942a978e4dc33000000000000000000000000",
      "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358",
      undefined,
    ]);
    const secret = hashSecret(1, proof)!;
    const followedBy = (byte: number) => Buffer.concat([secret.subarray(0, 31), Buffer.of(byte)]);
    const opening = [0, 1].map((byte) => ({
      ...secretProof("abc"),
      hashAlgorithm: "hash_160",
      secret: Uint8Array.from(followedBy(byte)),
    }));
    expect(rejectionsOf(new TestChain(["alice"]), ...opening)).toEqual([
      "Failure_LockSecret_Unknown_Composite_Key",
      "Failure_LockSecret_Secret_Mismatch",
    ]);
  });
});

test("locks that end in the same block have their receipts in the order of the receipts' bytes, the lowest byte of an amount first", () => {
  const chain = new TestChain(["alice"]);
  const amounts = [1n, 2n, 256n, 511n, 65_536n];
  mine(
    chain,
    ...amounts.map((amount) => secretLock(`${amount}`, { mosaic: { mosaicId: CURRENCY, amount }, duration: 2n })),
  );
  chain.skip(1);
  const receipts = receiptsOf(chain.mine().statement, RECEIPT_TYPE.secret_lock_expired);
  expect(receipts.map(({ amount }) => amount)).toEqual([65_536n, 256n, 1n, 2n, 511n]);
  expect(receipts.every(({ targetAddress }) => targetAddress.equals(account("alice").address))).toBe(true);
  expect(balanceOf(chain.state.tables.accounts.require(account("alice").address), CURRENCY)).toBe(FUNDS);
});

describe("locks of one id", () => {
  test("are paid one after the other, each in the block in which it ends", () => {
    const chain = new TestChain(["alice"]);
    const owner = () => balanceOf(chain.state.tables.accounts.require(account("alice").address), CURRENCY);
    for (const _ of [1, 2]) {
      mine(chain, secretLock("open", { duration: 2n }));
      chain.skip(1);
      expect(owner()).toBe(FUNDS - 10n);
      chain.skip(1);
      expect(owner()).toBe(FUNDS);
    }
  });

  test("are known as long as an older one of them ends later", () => {
    const chain = new TestChain(["alice"]);
    mine(chain, secretLock("open", { duration: 8n }));
    mine(chain, secretProof("open"));
    mine(chain, secretLock("open", { duration: 2n }));
    const seen = [];
    for (; chain.state.height < 11; chain.skip(1)) {
      chain.state.finalize(chain.state.height, chain.now);
      seen.push([chain.state.height, ...rejectionsOf(chain, secretProof("open"))]);
    }
    const inactive = "Failure_LockSecret_Inactive_Secret";
    expect(seen).toEqual([
      [4, undefined],
      // ended in block 6, and final since then; but the first one, used long ago, would have ended in block 10
      [5, inactive],
      [6, inactive],
      [7, inactive],
      [8, inactive],
      [9, inactive],
      [10, "Failure_LockSecret_Unknown_Composite_Key"],
    ]);
  });

  test("of which an older one ends where expirations are forced: the newest is paid, and remains usable", () => {
    const chain = new TestChain(["alice"], {
      skipSecretLockUniquenessChecks: new Set([3]),
      forceSecretLockExpirations: new Set([6]),
    });
    const locking = (amount: bigint, duration: bigint) =>
      secretLock("open", { mosaic: { mosaicId: CURRENCY, amount }, duration });
    mine(chain, locking(7n, 4n));
    mine(chain, locking(5n, 20n));
    chain.skip(2);
    const owner = () => balanceOf(chain.state.tables.accounts.require(account("alice").address), CURRENCY);
    expect(owner()).toBe(FUNDS - 12n);
    const receipts = receiptsOf(chain.mine().statement, RECEIPT_TYPE.secret_lock_expired);
    expect(receipts.map(({ amount }) => amount)).toEqual([5n]);
    expect(owner()).toBe(FUNDS - 7n);
    const completed = receiptsOf(mine(chain, secretProof("open")).statement, RECEIPT_TYPE.secret_lock_completed);
    expect(completed.map(({ amount }) => amount)).toEqual([5n]);
  });
});

test("a secret lock that ends where expirations are skipped is not paid, then or later, and its leaf remains in the tree until its id is locked again", () => {
  const chain = new TestChain(["alice"], { skipSecretLockExpirations: new Set([5]) });
  const rootOf = () => chain.state.tables.secretLocks.table.rootHash().toString("hex");
  const empty = rootOf();
  mine(chain, secretLock("open", { duration: 3n }));
  const locked = rootOf();
  const owner = () => balanceOf(chain.state.tables.accounts.require(account("alice").address), CURRENCY);
  for (; chain.state.height < 9; chain.skip(1)) {
    expect([rootOf(), owner()]).toEqual([locked, FUNDS - 10n]);
    chain.state.finalize(chain.state.height, chain.now);
  }
  expect(rejectionsOf(chain, secretProof("open"))).toEqual(["Failure_LockSecret_Unknown_Composite_Key"]);
  mine(chain, secretLock("open", { duration: 2n }));
  expect(rootOf()).not.toBe(locked);
  chain.skip(2);
  expect([rootOf(), owner()]).toEqual([empty, FUNDS - 10n]);
});
