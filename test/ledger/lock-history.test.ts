import { describe, expect, test } from "@jest/globals";
import { secretLockCompositeHash } from "../../catapult/state/composite-hash.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import type { ForkHeights } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { balanceOf } from "../../ledger/tables/accounts.js";
import { secretLock, secretProof, sha3 } from "../devnet/state-descriptors.js";
import { account, CURRENCY, TestChain } from "../devnet/state-test-chain.js";
import { StateStore } from "../support/state-store.js";
import { stateValue } from "../support/state-value.js";

const LOCKED = 10n;
const EMPTY_ROOT = Buffer.alloc(32);
const ID = secretLockCompositeHash(Buffer.from(sha3("one")), account("bob").address);

/** A chain whose entries are stored, as an index does it. */
class StoredTestChain extends TestChain {
  readonly store = new StateStore();
  #stored = 0;

  lock(duration: number, change: Record<string, unknown> = {}) {
    return this.send("alice", secretLock("one", { duration: BigInt(duration), ...change }));
  }

  finalize(height: number): void {
    this.#write();
    this.store.end(this.state.endedBy(height));
    this.state.finalize(height, this.mined[height - 1]!.timestamp);
  }

  /** The state as it is after a restart. */
  reloaded(finalizedHeight: number): Promise<ChainState> {
    this.#write();
    const basis = { height: this.state.height, finalizedHeight, feeMultipliers: [0], confirmed: [] };
    return ChainState.load(this.state.config, basis, this.store);
  }

  #write(): void {
    for (const { height, executed } of this.mined.slice(this.#stored)) this.store.apply(height, executed.changes);
    this.#stored = this.mined.length;
  }
}

function rootOf(state: ChainState): Buffer {
  return state.subCacheMerkleRoots()[STATE_KINDS.indexOf("secretLock")]!;
}

function chainWith(forkHeights: Partial<Record<keyof ForkHeights, number>>): StoredTestChain {
  const sets = Object.entries(forkHeights).map(([name, height]) => [name, new Set([height])]);
  return new StoredTestChain(["alice"], Object.fromEntries(sets) as Partial<ForkHeights>);
}

function balance({ tables }: ChainState, name: string): bigint {
  return balanceOf(tables.accounts.require(account(name).address), CURRENCY);
}

describe("a secret lock that ends where the network skips expirations", () => {
  test("leaves its leaf in the tree: when its end is final, after a restart, and until the same id is locked again", async () => {
    const chain = chainWith({ skipSecretLockExpirations: 6 });
    chain.lock(4);
    const root = rootOf(chain.state);
    const owner = chain.balance("alice");
    chain.skip(5);
    expect(chain.state.height).toBe(7);
    expect(rootOf(chain.state)).toEqual(root);
    expect(chain.balance("alice")).toBe(owner);
    expect(rootOf(await chain.reloaded(5))).toEqual(root);

    chain.finalize(6);
    chain.skip(1);
    expect(rootOf(chain.state)).toEqual(root);
    expect(stateValue(chain.state.tables, "secretLock", ID)).toBeUndefined();
    expect(rootOf(await chain.reloaded(6))).toEqual(root);

    chain.lock(2);
    expect(rootOf(chain.state)).not.toEqual(root);
    expect(rootOf(await chain.reloaded(6))).toEqual(rootOf(chain.state));
    chain.skip(2);
    expect(rootOf(chain.state)).toEqual(EMPTY_ROOT);
    expect(chain.balance("alice")).toBe(owner);
    expect(rootOf(await chain.reloaded(6))).toEqual(EMPTY_ROOT);
    chain.state.rollbackTo(8);
    expect(rootOf(chain.state)).toEqual(root);
  });

  test("is seen as ended otherwise: it cannot be used, and is unknown when its end is final", () => {
    const chain = chainWith({ skipSecretLockExpirations: 6 });
    chain.lock(4);
    chain.skip(4);
    const proof = () => chain.rejectionOf(chain.transaction("bob", secretProof("one")));
    expect(proof()).toBe("Failure_LockSecret_Inactive_Secret");
    chain.finalize(6);
    expect(proof()).toBe("Failure_LockSecret_Unknown_Composite_Key");
  });
});

describe("locks with the same id", () => {
  test("are paid where the network forces expirations, if one of them ends there; also after a restart", async () => {
    const chain = chainWith({ skipSecretLockUniquenessChecks: 4, forceSecretLockExpirations: 8 });
    chain.lock(6);
    chain.skip(1);
    chain.lock(20, { mosaic: { mosaicId: CURRENCY, amount: 3n * LOCKED } });
    chain.skip(3);
    const restarted = await chain.reloaded(0);
    const before = chain.balance("alice");
    expect(balance(restarted, "alice")).toBe(before);
    chain.skip(1);
    expect(chain.state.height).toBe(8);
    restarted.execute({ ...chain.nextBlock(), height: 8 });
    for (const state of [chain.state, restarted]) expect(balance(state, "alice") - before).toBe(3n * LOCKED);
    expect(rootOf(restarted)).toEqual(rootOf(chain.state));
    // the newest one can still be used
    expect(chain.codeOf("bob", secretProof("one"))).toBeUndefined();
  });

  test("are a history: an ended one is known as long as an older one is, and both go when that has ended", async () => {
    const chain = chainWith({});
    chain.lock(20);
    chain.send("bob", secretProof("one"));
    chain.lock(2);
    const proof = (state: ChainState) =>
      state.startDryRun().add(chain.transaction("bob", secretProof("one")), chain.now) ?? "accepted";
    expect(proof(chain.state)).toBe("accepted");
    chain.skip(4);
    chain.finalize(8);
    for (const state of [chain.state, await chain.reloaded(8)]) {
      expect(proof(state)).toBe("Failure_LockSecret_Inactive_Secret");
      expect(stateValue(state.tables, "secretLock", ID)).toBeDefined();
    }
    chain.skip(14);
    chain.finalize(22);
    for (const state of [chain.state, await chain.reloaded(22)]) {
      expect(proof(state)).toBe("Failure_LockSecret_Unknown_Composite_Key");
      expect(stateValue(state.tables, "secretLock", ID)).toBeUndefined();
    }
  });

  test("that a roll-back brings back are removed if their end is final by then", () => {
    const chain = chainWith({});
    chain.lock(2);
    chain.skip(2);
    chain.lock(100);
    chain.finalize(4);
    chain.state.rollbackTo(4);
    expect(chain.state.tables.secretLocks.get(ID)).toBeUndefined();
  });
});
