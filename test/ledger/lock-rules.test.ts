import { describe, expect, test } from "@jest/globals";
import { hashSecret } from "../../catapult/crypto/secret.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import {
  accountLink,
  addressAlias,
  bonded,
  hashLock,
  rootNamespace,
  secretLock,
  secretProof,
} from "../devnet/state-descriptors.js";
import { account, addressOf, aliasOf, CURRENCY, FUNDS, TestChain } from "../devnet/state-test-chain.js";

const MAX_HASH_LOCK = 34_560n;
const MAX_SECRET_LOCK = 518_400n;

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
      chain.codesOf(
        "alice",
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
    chain.send("alice", hashLock({ duration: 3n }));
    const again = [];
    for (; chain.state.height < 6; chain.skip(1))
      again.push([chain.state.height + 1, chain.codeOf("alice", hashLock({}))]);
    expect(again).toEqual([
      [3, "Failure_LockHash_Hash_Already_Exists"],
      [4, "Failure_LockHash_Hash_Already_Exists"],
      [5, undefined],
      [6, undefined],
    ]);
    expect(chain.balance("alice")).toBe(FUNDS - 10_000_000n);
  });

  test("that is used may be followed by another one, which is paid in its own last block, to the main account", () => {
    const chain = new TestChain(["alice"]);
    const aggregate = bonded(chain);
    const deposit = (duration: bigint) => ({ ...hashLock({ duration }), hash: Uint8Array.from(aggregate.hash) });
    chain.send("alice", deposit(5n));
    chain.mine(aggregate, chain.transaction("harvester", accountLink("remote", "link")));
    chain.send("alice", deposit(6n));
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
      chain.codesOf("alice", lasting(0n), lasting(1n), lasting(MAX_SECRET_LOCK), lasting(MAX_SECRET_LOCK + 1n)),
    ).toEqual(["Failure_LockSecret_Invalid_Duration", undefined, undefined, "Failure_LockSecret_Invalid_Duration"]);
  });

  test("can be opened and is the only one for its secret and recipient until the block in which it ends", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", secretLock("open", { duration: 3n }));
    const otherAlgorithm = { ...secretLock("other", { duration: 3n }), hashAlgorithm: "hash_256" };
    chain.send("alice", otherAlgorithm);
    const seen = [];
    for (; chain.state.height < 6; chain.skip(1)) {
      const tried = [secretProof("open"), secretLock("open"), secretProof("other")];
      seen.push([chain.state.height + 1, ...chain.codesOf("alice", ...tried)]);
    }
    const exists = "Failure_LockSecret_Hash_Already_Exists";
    const inactive = "Failure_LockSecret_Inactive_Secret";
    expect(seen).toEqual([
      [4, undefined, exists, "Failure_LockSecret_Hash_Algorithm_Mismatch"],
      [5, inactive, undefined, "Failure_LockSecret_Hash_Algorithm_Mismatch"],
      [6, inactive, undefined, inactive],
    ]);
    expect(chain.codesOf("alice", secretLock("open", { recipientAddress: addressOf("carol") }))).toEqual([undefined]);
  });

  test("is that of its recipient, named by its address or an alias of it", () => {
    const chain = new TestChain(["alice", "bob"]);
    chain.send("alice", rootNamespace("house", 100n), addressAlias("house", "bob", "link"));
    const alias = { recipientAddress: Uint8Array.from(aliasOf("house")) };
    chain.send("alice", secretLock("open", alias));
    const exists = "Failure_LockSecret_Hash_Already_Exists";
    expect(chain.codesOf("alice", secretLock("open"), secretLock("open", alias))).toEqual([exists, exists]);
    const { statement } = chain.send("alice", { ...secretProof("open"), ...alias });
    const [receipt] = receiptsOf(statement, RECEIPT_TYPE.secret_lock_completed);
    expect(receipt).toMatchObject({ amount: 10n, targetAddress: account("bob").address });
    expect(decodeStatement(statement).addressResolutions).toHaveLength(1);
  });

  test("is opened by a proof of one to 1,000 bytes", () => {
    const chain = new TestChain(["alice"]);
    const proofs = ["", "x", "x".repeat(1_000), "x".repeat(1_001)];
    chain.send("alice", ...proofs.map((proof) => secretLock(proof)));
    expect(chain.codesOf("alice", ...proofs.map((proof) => secretProof(proof)))).toEqual([
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
    expect(new TestChain(["alice"]).codesOf("alice", ...opening)).toEqual([
      "Failure_LockSecret_Unknown_Composite_Key",
      "Failure_LockSecret_Secret_Mismatch",
    ]);
  });
});

test("locks that end in the same block have their receipts in the order of the receipts' bytes, the lowest byte of an amount first", () => {
  const chain = new TestChain(["alice"]);
  const amounts = [1n, 2n, 256n, 511n, 65_536n];
  chain.send(
    "alice",
    ...amounts.map((amount) => secretLock(`${amount}`, { mosaic: { mosaicId: CURRENCY, amount }, duration: 2n })),
  );
  chain.skip(1);
  const receipts = receiptsOf(chain.mine().statement, RECEIPT_TYPE.secret_lock_expired);
  expect(receipts.map(({ amount }) => amount)).toEqual([65_536n, 256n, 1n, 2n, 511n]);
  expect(receipts.every(({ targetAddress }) => targetAddress.equals(account("alice").address))).toBe(true);
  expect(chain.balance("alice")).toBe(FUNDS);
});

test("locks of one id are paid one after the other, each in the block in which it ends", () => {
  const chain = new TestChain(["alice"]);
  for (const _ of [1, 2]) {
    chain.send("alice", secretLock("open", { duration: 2n }));
    chain.skip(1);
    expect(chain.balance("alice")).toBe(FUNDS - 10n);
    chain.skip(1);
    expect(chain.balance("alice")).toBe(FUNDS);
  }
});
