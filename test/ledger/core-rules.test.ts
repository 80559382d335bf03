import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { BlockExecutionError } from "../../ledger/engine/executed-block.js";
import { addressAlias, childNamespace, hashLock, rootNamespace, votingLink } from "../devnet/state-descriptors.js";
import { account, aliasOf, CURRENCY, FUNDS, NETWORK, TestChain, transfer } from "../devnet/state-test-chain.js";

const HOUR = 3_600_000;

describe("an account", () => {
  test("has a valid address of the network, or an alias of one", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", rootNamespace("house", 100n), addressAlias("house", "alice", "link"));
    const { publicKey } = account("stranger");
    const alias = aliasOf("house");
    expect(
      chain.codesOf(
        "alice",
        transfer(addressOfPublicKey(publicKey, NETWORK.identifier)),
        transfer(alias),
        transfer(addressOfPublicKey(publicKey, NETWORK.identifier + 2)),
        transfer(Buffer.concat([alias.subarray(0, 23), Buffer.of(1)])),
        transfer(addressOfPublicKey(Buffer.alloc(32), NETWORK.identifier)),
      ),
    ).toEqual([
      undefined,
      undefined,
      "Failure_Core_Invalid_Address",
      // the bytes of an alias after its namespace are not read
      undefined,
      "Failure_Core_Zero_Address",
    ]);
  });

  test("exists from the block in which it is named first, its key from that in which it signs first", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", transfer("bob"));
    expect(chain.account("bob")).toMatchObject({
      addressHeight: 2,
      publicKeyHeight: 0,
      publicKey: Buffer.alloc(32),
    });
    chain.send("bob", transfer("alice"));
    chain.send("bob", transfer("alice"));
    const { publicKey } = account("bob");
    expect(chain.account("bob")).toMatchObject({ addressHeight: 2, publicKeyHeight: 3, publicKey });
  });
});

test("the beneficiary of a block is an address, never an alias of one", () => {
  const chain = new TestChain(["alice"]);
  chain.send("alice", rootNamespace("house", 100n), addressAlias("house", "alice", "link"));
  const beneficiary = aliasOf("house");
  expect(() => chain.mineWith({ beneficiary })).toThrow(
    new BlockExecutionError("block 3: Failure_Core_Invalid_Address"),
  );
  chain.mineWith({ beneficiary: account("stranger").address });
  expect(chain.account("stranger")).toMatchObject({ addressHeight: 3 });
});

describe("a balance", () => {
  test("can be spent to the last unit, and is gone then", () => {
    const chain = new TestChain(["alice"]);
    const spend = (amount: bigint) => transfer("bob", [[CURRENCY, amount]]);
    expect(chain.codesOf("alice", spend(FUNDS), spend(FUNDS + 1n))).toEqual([
      undefined,
      "Failure_Core_Insufficient_Balance",
    ]);
    chain.send("alice", spend(FUNDS));
    expect(chain.account("alice").balances).toHaveLength(0);
    expect(chain.codesOf("alice", spend(0n), spend(1n))).toEqual([undefined, "Failure_Core_Insufficient_Balance"]);
  });

  test("is the same after a transfer to oneself, which needs it", () => {
    const chain = new TestChain(["alice"]);
    const toSelf = (amount: bigint) => transfer("alice", [[CURRENCY, amount]]);
    expect(chain.codesOf("alice", toSelf(FUNDS + 1n))).toEqual(["Failure_Core_Insufficient_Balance"]);
    chain.send("alice", toSelf(FUNDS));
    expect(chain.balance("alice")).toBe(FUNDS);
  });

  test("pays no amount that has more than 64 bits when multiplied: it does not wrap", () => {
    const multiplier = 1_000n;
    const childRentalFee = 2n ** 64n / multiplier + 1n;
    expect(BigInt.asUintN(64, childRentalFee * multiplier)).toBeLessThan(FUNDS);
    const config = new TestChain([]).state.config;
    const chain = new TestChain(["alice"], {}, { namespace: { ...config.namespace, childRentalFee } });
    chain.send("alice", rootNamespace("house", 100n));
    expect(chain.codesOf("alice", childNamespace("house", "door"))).toEqual(["Failure_Core_Insufficient_Balance"]);
  });
});

describe("a deadline", () => {
  test("is at the earliest the time of the block, at the latest a lifetime after it", () => {
    const chain = new TestChain(["alice"]);
    const until = (deadline: number) => ({ ...transfer("bob"), deadline: BigInt(deadline) });
    const { now } = chain;
    expect(
      chain.codesOf("alice", until(now - 1), until(now), until(now + 6 * HOUR), until(now + 6 * HOUR + 1)),
    ).toEqual(["Failure_Core_Past_Deadline", undefined, undefined, "Failure_Core_Future_Deadline"]);
  });

  test("of a bonded aggregate has a lifetime of its own", () => {
    const chain = new TestChain(["alice"]);
    const deadline = BigInt(chain.now + 48 * HOUR);
    const type = "aggregate_bonded_transaction_v2";
    const bonded = chain.aggregate("alice", [chain.embedded("alice", transfer("bob"))], [], { type, deadline });
    const deposit = { ...hashLock({}), hash: Uint8Array.from(bonded.hash) };
    const timestamp = chain.now;
    chain.send("alice", deposit);
    expect([timestamp, timestamp - 1].map((time) => chain.state.checkPartial(bonded, time))).toEqual([
      undefined,
      "Failure_Core_Future_Deadline",
    ]);
  });
});

test("a confirmed transaction is not confirmed again, also after its block is final, until its deadline has passed", () => {
  const chain = new TestChain(["alice"]);
  const one = chain.transaction("alice", { ...transfer("bob"), deadline: BigInt(chain.now + 20_000) });
  chain.mine(one);
  expect(chain.rejectionOf(one)).toBe("Failure_Hash_Already_Exists");
  expect(() => chain.mine(one)).toThrow("Failure_Hash_Already_Exists");
  chain.state.finalize(chain.state.height, chain.now);
  expect(chain.rejectionOf(one)).toBe("Failure_Hash_Already_Exists");
  chain.skip(4);
  chain.state.finalize(chain.state.height, chain.now);
  expect(chain.rejectionOf(one)).toBe("Failure_Core_Past_Deadline");
});

describe("a voting key", () => {
  const link = (startEpoch: number, endEpoch: number) => votingLink(startEpoch, endEpoch);

  test("is for 72 to 26,280 epochs from the first one on", () => {
    const chain = new TestChain(["alice"]);
    expect(
      chain.codesOf("alice", link(1, 71), link(1, 72), link(1, 26_280), link(1, 26_281), link(0, 72), link(100, 99)),
    ).toEqual([
      "Failure_Core_Invalid_Link_Range",
      undefined,
      undefined,
      "Failure_Core_Invalid_Link_Range",
      "Failure_Core_Link_Start_Epoch_Invalid",
      "Failure_Core_Invalid_Link_Range",
    ]);
  });

  test("begins after the last one of the account, of which there are two at most", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", link(101, 200));
    expect(chain.codesOf("alice", link(200, 300), link(201, 300), link(1, 100))).toEqual([
      "Failure_Core_Link_Already_Exists",
      undefined,
      // there is room before it, but only the last epoch counts
      "Failure_Core_Link_Already_Exists",
    ]);
    chain.send("alice", link(201, 300));
    expect(chain.codesOf("alice", link(301, 400))).toEqual(["Failure_Core_Too_Many_Links"]);
    const three = new TestChain(["alice"], {}, { maxVotingKeysPerAccount: 3 });
    three.send("alice", link(101, 200), link(201, 300));
    expect(three.codesOf("alice", link(300, 400), link(301, 400))).toEqual([
      "Failure_Core_Link_Already_Exists",
      undefined,
    ]);
  });

  test("is unlinked by its key and both of its epochs", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", link(101, 200));
    const unlink = { ...link(101, 200), linkAction: "unlink" };
    const otherKey = { ...link(102, 200), startEpoch: 101, linkAction: "unlink" };
    expect(chain.codesOf("alice", otherKey, { ...unlink, endEpoch: 201 }, unlink)).toEqual([
      "Failure_Core_Inconsistent_Unlink_Data",
      "Failure_Core_Inconsistent_Unlink_Data",
      undefined,
    ]);
    chain.send("alice", unlink);
    expect(chain.account("alice").votingKeys).toEqual([]);
  });
});

test("the highest fee is the size times 2^32 - 1", () => {
  const chain = new TestChain(["alice"]);
  const paying = (extra: bigint) =>
    chain.transaction("alice", transfer("bob"), (entity) => {
      entity.fee = new models.Amount(0xffff_ffffn * BigInt(entity.size) + extra);
    });
  expect([0n, 1n].map((extra) => chain.state.checkStateless(paying(extra)))).toEqual([
    undefined,
    "Failure_Core_Invalid_Transaction_Fee",
  ]);
});

test("the reserved bytes of a transfer are zeros in a block too, except the one that the node loses", () => {
  const chain = new TestChain(["alice"]);
  const withByte = (index: number) => {
    const bytes = Buffer.from(chain.transaction("alice", transfer("bob", [[CURRENCY, 1n]], "hello")).bytes);
    bytes[bytes.length - 5 - 16 - 5 + index] = 1;
    return decodeTransaction(bytes, NETWORK, { reading: "accepted" });
  };
  const mined = [0, 1, 2, 3, 4].map((index) => {
    try {
      return chain.mine(withByte(index)).statement.length > 0;
    } catch (error) {
      return (error as Error).message;
    }
  });
  const rejected = (height: number) =>
    expect.stringMatching(
      new RegExp(`^transaction 0 \\([0-9A-F]{64}\\) of block ${height}: Failure_Core_Nonzero_Internal_Padding$`),
    );
  expect(mined).toEqual([rejected(2), rejected(2), rejected(2), true, rejected(3)]);
});
