import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { type AccountState, decodeAccount } from "../../catapult/state/account.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import { hasEnded } from "../../catapult/state/end.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeNamespace } from "../../catapult/state/namespace.js";
import { decodeState } from "../../catapult/state/state.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import {
  type HarvestingRules,
  isImportanceBlock,
  mainAccountOf,
  type TouchedKeysOptions,
  touchedKeys,
} from "../../catapult/state/touched.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { stateValue } from "../../ledger/engine/state-queries.js";
import { parseNetworkConfig } from "../../ledger/state/network-config.js";
import { bytesOfMapKey, type StateTable } from "../../ledger/state/state-table.js";
import { account, HARVESTING, TestChain, transfer } from "../devnet/state-test-chain.js";
import { describeRecorded, type RecordedBlock } from "../support/recorded-chain.js";

/** All state values at one moment, by kind and key. */
type Snapshot = ReadonlyMap<string, StateEntry>;

interface StateEntry {
  readonly kind: StateKind;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The state tables of the development node: changes of a block are recorded until the tree is updated. */
type Table = Pick<StateTable<bigint | string, never>, "touchedKeys" | "updateTree">;

/** Records all values of a state that executes blocks, and which of them each step changed. */
class StateRecorder {
  readonly state: ChainState;
  readonly #known = new StateKeySet();
  #noted = new StateKeySet();
  #values: Snapshot = new Map();

  constructor(state: ChainState) {
    this.state = state;
    const tables = state.tables.stateTables() as unknown as readonly Table[];
    for (const [index, table] of tables.entries()) this.#listen(STATE_KINDS[index]!, table);
  }

  get values(): Snapshot {
    return this.#values;
  }

  /** Runs a change of the state; returns the names of all values that it created, deleted or changed. */
  changesBy(step: () => void): string[] {
    step();
    this.#known.addAll(this.#noted);
    // Rolling back or forgetting updates no tree.
    const candidates = this.#noted.size > 0 ? this.#noted : this.#known;
    const values = new Map(this.#values);
    const changed: string[] = [];
    for (const { kind, key } of candidates) {
      const name = nameOf(kind, key);
      const value = stateValue(this.state.tables, kind, key);
      const previous = values.get(name)?.value;
      if (value && previous?.equals(value)) continue;
      if (value || previous) changed.push(name);
      if (value) values.set(name, { kind, key, value });
      else values.delete(name);
    }
    this.#values = values;
    this.#noted = new StateKeySet();
    return changed;
  }

  #listen(kind: StateKind, table: Table): void {
    const { updateTree } = table;
    table.updateTree = (height) => {
      for (const key of table.touchedKeys())
        this.#noted.add(kind, typeof key === "bigint" ? idBytes(key) : bytesOfMapKey(key));
      return updateTree.call(table, height);
    };
  }
}

function nameOf(kind: StateKind, key: Buffer): string {
  return `${kind} ${key.toString("hex")}`;
}

/** The keys that an index has to read again after a block, by the rules of `touched.ts`. */
function keysToRead(
  block: VerifiedBlock,
  before: Snapshot,
  after: Snapshot,
  rules: HarvestingRules,
  options: TouchedKeysOptions = { network: { identifier: 152 } },
): StateKeySet {
  const keys = new StateKeySet();
  keys.addAll(touchedKeys(block, options));
  for (const { kind, key } of [...keys]) if (kind === "namespace") keys.add(kind, rootOf(key, before, after));
  if (isImportanceBlock(block))
    for (const { kind, key, value } of before.values())
      if (kind === "account" && hasImportance(decodeAccount(value), rules)) keys.add(kind, key);
  const beneficiary = after.get(nameOf("account", block.beneficiaryAddress))!;
  const mainPublicKey = mainAccountOf(decodeAccount(beneficiary.value));
  if (mainPublicKey) keys.add("account", addressOfPublicKey(mainPublicKey, 152));
  return keys;
}

/** As a node answers a child's id with the value of its root. */
function rootOf(key: Buffer, before: Snapshot, after: Snapshot): Buffer {
  for (const { kind, value } of [...after.values(), ...before.values()]) {
    if (kind !== "namespace") continue;
    const root = decodeNamespace(value);
    if (root.entries.some(({ id }) => id === key.readBigUInt64LE())) return idBytes(root.id);
  }
  return key;
}

describe("the end of locks and namespaces", () => {
  test("is when a node may delete them", () => {
    expect(hasEnded(100n, 99)).toBe(false);
    expect(hasEnded(100n, 100)).toBe(true);
  });
});

describe("a block whose beneficiary is a remote account", () => {
  test("changes its main account, which only the state of the remote account names", () => {
    const chain = new TestChain(["second"]);
    const recorder = new StateRecorder(chain.state);
    const second = account("second");
    const remote = account("remote of second");
    const linkedPublicKey = remote.publicKey.toString("hex");
    const link = { type: "account_key_link_transaction_v1", linkedPublicKey, linkAction: "link" };
    chain.mine(
      chain.transaction("harvester", transfer("second", [[HARVESTING, 1000n]])),
      chain.transaction("second", link),
    );
    // Importance blocks give it an importance; at 1000 inflation ends, and with it all fees.
    recorder.changesBy(() => chain.skip(1000 - chain.state.height));
    const before = recorder.values;
    const harvester = account("harvester");
    const header = {
      height: chain.state.height + 1,
      timestamp: chain.now + 5000,
      feeMultiplier: 0,
      signerPublicKey: harvester.publicKey,
      signerAddress: harvester.address,
      beneficiaryAddress: remote.address,
      transactions: [],
    };
    let statement: Buffer = Buffer.alloc(0);
    const changed = recorder.changesBy(() => {
      statement = chain.state.execute(header).statement;
    });
    const entity = { type: 0x8143 };
    const block = { ...header, entity, statement: decodeStatement(statement) } as unknown as VerifiedBlock;

    const secondName = nameOf("account", second.address);
    expect(changed).toEqual([secondName]);
    const named = touchedKeys(block, { network: { identifier: 152 } }).map(({ kind, key }) => nameOf(kind, key));
    expect(named).toEqual([harvester, remote].map(({ address }) => nameOf("account", address)));
    const rules = { harvestingMosaicId: HARVESTING, minHarvesterBalance: 500n };
    expect(keysToRead(block, before, recorder.values, rules).has("account", second.address)).toBe(true);
  });
});

describeRecorded("the keys that recorded blocks touch", (chain) => {
  const config = parseNetworkConfig(
    readFileSync(chain.path("resources/config-network.properties"), "utf8"),
    readFileSync(chain.path("resources/config-inflation.properties"), "utf8"),
  );
  const rules: HarvestingRules = config;
  const verify = ({ block, statement }: Pick<RecordedBlock, "block" | "statement">) =>
    verifyBlock({ bytes: block, statementBytes: statement, network: chain.network, checkSignatures: false });
  const blocks = chain.blocks().map(verify);
  const addressOf = (wanted: string) => {
    const { publicKey } = chain.networkFile.accounts.find(({ name }) => name === wanted)!;
    return addressOfPublicKey(Buffer.from(publicKey, "hex"), chain.network.identifier);
  };
  const sinks = { mosaic: addressOf("mosaicSink"), namespace: addressOf("namespaceSink") };
  const options: TouchedKeysOptions = {
    network: { ...chain.network, rentalFeeSinks: () => sinks },
    harvestFeeSink: addressOf("harvestSink"),
  };

  test("cover every recorded state value", () => {
    const touched = new StateKeySet();
    for (const block of blocks) touched.addAll(touchedKeys(block, { network: chain.network }));
    const states = chain.lines<{ kind: StateKind; key: string; value: string }>("states.jsonl.gz");
    const missing = states.filter(({ kind, key, value }) => {
      const bytes = Buffer.from(key, "hex");
      const own = kind === "namespace" ? idBytes(decodeNamespace(Buffer.from(value, "hex")).id) : bytes;
      return !touched.has(kind, own);
    });
    process.stderr.write(`touched keys: ${touched.size} cover ${states.length - missing.length} / ${states.length}\n`);
    expect(missing).toEqual([]);
  });

  test("with the roots of namespaces known, name only roots", () => {
    const rootsById = new Map(
      chain
        .lines<{ kind: StateKind; value: string }>("states.jsonl.gz")
        .filter(({ kind }) => kind === "namespace")
        .flatMap(({ value }) => {
          const root = decodeNamespace(Buffer.from(value, "hex"));
          return root.entries.map(({ id }) => [id, root.id] as const);
        }),
    );
    const namespaces = blocks
      .flatMap((block) => touchedKeys(block, { network: chain.network, rootOf: (id) => rootsById.get(id) }))
      .filter(({ kind }) => kind === "namespace")
      .map(({ key }) => key.readBigUInt64LE());
    const roots = new Set(rootsById.values());
    expect(namespaces.filter((id) => rootsById.has(id) && !roots.has(id))).toEqual([]);
    expect(new Set(namespaces).size).toBeGreaterThanOrEqual(roots.size);
  });

  test("name every value that each block changes, on the chain and on the branches of its forks", () => {
    const recorder = new StateRecorder(new ChainState(config));
    const { state } = recorder;
    const read = new Map<number, StateKeySet>();
    const sums = { blocks: 0, changed: 0, toRead: 0, rolledBack: 0 };
    const changedByKind: Partial<Record<string, number>> = {};
    const execute = (block: VerifiedBlock) => {
      const before = recorder.values;
      const changed = recorder.changesBy(() => state.execute(block));
      const keys = keysToRead(block, before, recorder.values, rules, options);
      const names = new Set([...keys].map(({ kind, key }) => nameOf(kind, key)));
      expect({ height: block.height, missing: changed.filter((name) => !names.has(name)) }).toEqual({
        height: block.height,
        missing: [],
      });
      read.set(block.height, keys);
      sums.blocks++;
      sums.changed += changed.length;
      sums.toRead += keys.size;
      for (const name of changed) changedByKind[name.split(" ")[0]!] = (changedByKind[name.split(" ")[0]!] ?? 0) + 1;
    };
    /** Everything that a fork reverts was read because of one of the dropped blocks. */
    const rollBack = (height: number) => {
      const names = new Set<string>();
      for (let dropped = height + 1; dropped <= state.height; ++dropped)
        for (const { kind, key } of read.get(dropped)!) names.add(nameOf(kind, key));
      const changed = recorder.changesBy(() => state.rollbackTo(height));
      expect(changed.filter((name) => !names.has(name))).toEqual([]);
      sums.rolledBack += changed.length;
    };

    for (const block of blocks) execute(block);
    const hashes = new Map(blocks.map(({ height, hash }) => [height, hash]));
    for (const line of chain.lines<{ block: string; statement: string }>("fork/blocks.jsonl.gz")) {
      const block = verify({ block: Buffer.from(line.block, "hex"), statement: Buffer.from(line.statement, "hex") });
      if (hashes.get(block.height)?.equals(block.hash)) continue;
      if (block.height <= state.height) rollBack(block.height - 1);
      execute(block);
      hashes.set(block.height, block.hash);
    }
    process.stderr.write(`touched keys: ${JSON.stringify(sums)}, changed: ${JSON.stringify(changedByKind)}\n`);
    expect(sums.blocks).toBe(596 + 419);
    expect(Object.keys(changedByKind).sort()).toEqual([...STATE_KINDS].sort());
    expect(sums.rolledBack).toBeGreaterThan(0);
  });

  test("of ended locks and namespaces are deleted by a node when their end is final", () => {
    const recorder = new StateRecorder(new ChainState(config));
    const { state } = recorder;
    recorder.changesBy(() => blocks.forEach((block) => void state.execute(block)));
    const before = recorder.values;
    const finalizedHeight = 592;
    const { timestamp } = blocks[finalizedHeight - 1]!;
    const gone = recorder.changesBy(() => state.finalize(finalizedHeight, timestamp));
    const forgotten = [...before].filter(([, { kind, value }]) => {
      const state = decodeState(kind, value);
      const end = "endHeight" in state ? state.endHeight : undefined;
      return end !== undefined && hasEnded(end, finalizedHeight);
    });
    expect(forgotten.length).toBeGreaterThan(0);
    expect(gone.sort()).toEqual(forgotten.map(([name]) => name).sort());
  });

  test("are those of the alias itself if it has no target, as on a node", () => {
    const block = blocks.find(({ statement }) => statement.addressResolutions.length > 0)!;
    const statement = { ...block.statement, addressResolutions: [] };
    const unresolved = block.statement.addressResolutions.map((one) => one.unresolved.toString("hex"));
    const keys = touchedKeys({ ...block, statement }, { network: chain.network });
    expect(keys.map(({ key }) => key.toString("hex"))).toEqual(expect.arrayContaining(unresolved));
  });
});

/**
 * Whether an importance block changes an account that nothing in the block names: it has enough to harvest, or it has an
 * importance from the time when it had enough (which ends now). So after an importance block all accounts must be read
 * again that had either as of the block before, besides its touched keys.
 */
function hasImportance(account: AccountState, rules: HarvestingRules): boolean {
  if (account.importance !== undefined) return true;
  return (account.mosaics.find(({ id }) => id === rules.harvestingMosaicId)?.amount ?? 0n) >= rules.minHarvesterBalance;
}
