import { describe, expect, test } from "@jest/globals";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { renderAccount } from "../../catapult/state/account.js";
import { renderAccountRestriction } from "../../catapult/state/account-restriction.js";
import { hasEnded } from "../../catapult/state/end.js";
import { renderHashLock } from "../../catapult/state/hash-lock.js";
import { keyOfState, stateKeySize, statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { renderMetadata } from "../../catapult/state/metadata.js";
import { renderMosaic } from "../../catapult/state/mosaic.js";
import { renderMosaicRestriction } from "../../catapult/state/mosaic-restriction.js";
import { renderMultisig } from "../../catapult/state/multisig.js";
import { ETERNAL_HEIGHT, renderNamespace } from "../../catapult/state/namespace.js";
import { renderSecretLock } from "../../catapult/state/secret-lock.js";
import { decodeState, type StateByKind } from "../../catapult/state/state.js";
import { statePathRequest, stateValuesRequest } from "../../catapult/wire/state-request.js";
import { namespaceIndex, withActive } from "../support/namespace-meta.js";
import { describeIfDescribed } from "../support/openapi.js";
import { ownOpenApi } from "../support/own-openapi.js";
import { describeRecorded, type RecordedChain } from "../support/recorded-chain.js";

const ID = "0123456789ABCDEF01234567";
const HEIGHT = 596;
const FINALIZED_HEIGHT = 592;

interface RecordedState {
  readonly kind: StateKind;
  readonly key: Buffer;
  readonly value: Buffer;
}

function recordedStates(chain: RecordedChain): RecordedState[] {
  return chain
    .lines<{ kind: StateKind; key: string; value: string }>("states.jsonl.gz")
    .map(({ kind, key, value }) => ({ kind, key: hex(key), value: hex(value) }));
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

/** All registrations of root namespaces on the chain, durations in blocks. */
function recordedRegistrations(chain: RecordedChain) {
  return chain.blocks().flatMap(({ block }) => {
    const { transactions, height } = decodeBlock(block, chain.network);
    return transactions
      .flatMap((transaction) => [transaction, ...transaction.embedded])
      .map(({ entity }) => entity)
      .filter((entity) => entity.kind === "namespaceRegistration")
      .filter(({ registrationType }) => registrationType === 0)
      .map(({ id, durationOrParentId }) => ({ height, id, duration: durationOrParentId }));
  });
}

/** The node's counts: names are numbers in base 27, with letters from 1. */
function diagnosticCounter(chain: RecordedChain, name: string): number {
  const id = [...name].reduce((sum, letter) => 27n * sum + BigInt(letter === " " ? 0 : letter.charCodeAt(0) - 64), 0n);
  const counters = hex(chain.packets().diagnosticCounters!);
  for (let offset = 0; offset < counters.length; offset += 16)
    if (counters.readBigUInt64LE(offset) === id) return Number(counters.readBigUInt64LE(offset + 8));
  throw new Error(`the node has no counter ${name}`);
}

/** Schema of the documents of each kind. */
const SCHEMAS: Readonly<Record<StateKind, string>> = {
  account: "AccountInfoDTO",
  namespace: "NamespaceInfoDTO",
  mosaic: "MosaicInfoDTO",
  multisig: "MultisigAccountInfoDTO",
  hashLock: "HashLockInfoDTO",
  secretLock: "SecretLockInfoDTO",
  accountRestriction: "AccountRestrictionsInfoDTO",
  mosaicRestriction: "MosaicRestrictionDTO",
  metadata: "MetadataInfoDTO",
};

const RENDERERS: { readonly [K in StateKind]: (state: StateByKind[K]) => string[] } = {
  account: (state) => [renderAccount(state, ID)],
  namespace: (state) =>
    state.entries.map((entry) => withActive(renderNamespace(state, entry, 0, ID), !hasEnded(state.endHeight, HEIGHT))),
  mosaic: (state) => [renderMosaic(state, ID)],
  multisig: (state) => [renderMultisig(state)],
  hashLock: (state) => [renderHashLock(state, ID)],
  secretLock: (state) => [renderSecretLock(state, ID)],
  accountRestriction: (state) => [renderAccountRestriction(state)],
  mosaicRestriction: (state) => [renderMosaicRestriction(state, ID)],
  metadata: (state) => [renderMetadata(state, ID)],
};

function documentsOf<K extends StateKind>(kind: K, value: Buffer): string[] {
  return RENDERERS[kind](decodeState(kind, value));
}

/**
 * Deviations of the description from what the reference sends or clients can read: importances as decimals up to 1, and
 * heights that cannot be 0 for an account without public key or importance.
 */
const KNOWN_DEVIATIONS =
  /^\/account\/(importance|importanceHeight|publicKeyHeight|activityBuckets\/\d\/rawScore) must match pattern /;

describe("keys of state", () => {
  test("have the size that the node's packets require", () => {
    for (const kind of STATE_KINDS) {
      const { values, path } = statePackets(kind);
      const size = stateKeySize(kind);
      expect(stateValuesRequest(values, [Buffer.alloc(size)]).payload).toHaveLength(size);
      expect(statePathRequest(path, Buffer.alloc(size)).payload).toHaveLength(size);
      expect(() => statePathRequest(path, Buffer.alloc(size + 1))).toThrow(`${size} bytes`);
    }
  });
});

describe("namespaces", () => {
  const root = (endHeight: bigint): StateByKind["namespace"] => ({
    id: 1n << 63n,
    ownerAddress: Buffer.alloc(24),
    startHeight: 100,
    endHeight,
    entries: [],
  });

  test("are active until their end", () => {
    expect(hasEnded(150n, 149)).toBe(false);
    expect(hasEnded(150n, 150)).toBe(true);
    expect(hasEnded(ETERNAL_HEIGHT, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  test("have an index that counts the earlier registrations, until these are forgotten", () => {
    expect(namespaceIndex(root(150n), [50n], 120)).toBe(0);
    // ends 150, 180, 220
    const renewed = [root(220n), [50n, 30n, 40n]] as const;
    expect([149, 150, 179, 180, 219].map((finalized) => namespaceIndex(...renewed, finalized))).toEqual([
      2, 1, 1, 0, 0,
    ]);
    expect(namespaceIndex(root(150n), [50n], 60, [90n])).toBe(1);
    expect(namespaceIndex(root(150n), [50n], 90, [90n])).toBe(0);
  });

  test("include whether they are active at reading time", () => {
    const entry = { id: 1n << 63n, path: [1n << 63n], alias: { kind: "none" } } as const;
    const document = renderNamespace(root(ETERNAL_HEIGHT), entry, 3, ID);
    expect(document).not.toContain("active");
    expect(JSON.parse(withActive(document, true)).meta).toEqual({ active: true, index: 3 });
    expect(JSON.parse(withActive(document, false)).meta).toEqual({ active: false, index: 3 });
    expect(JSON.parse(withActive(document, false)).namespace).toEqual(JSON.parse(document).namespace);
    expect(() => withActive("{}", true)).toThrow(TypeError);
  });
});

describeRecorded("recorded state values", (chain) => {
  const states = recordedStates(chain);

  test("decode, each under its requested key", () => {
    const counts: Record<string, number> = {};
    let children = 0;
    for (const { kind, key, value } of states) {
      const state = decodeState(kind, value);
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (keyOfState(kind, state).equals(key)) continue;
      expect(kind).toBe("namespace");
      const { id, entries } = state as StateByKind["namespace"];
      expect(entries.filter((entry) => entry.id !== id).map((entry) => entry.id)).toContain(key.readBigUInt64LE());
      ++children;
    }
    process.stderr.write(`state values: ${states.length} decoded: ${JSON.stringify(counts)}\n`);
    expect(Object.keys(counts).sort()).toEqual([...STATE_KINDS].sort());
    expect(children).toBe(21);
  });

  test("render to documents that match our own description", () => {
    for (const { kind, value } of states) {
      for (const text of documentsOf(kind, value)) {
        const document = JSON.parse(text);
        const problems = ownOpenApi().validate(SCHEMAS[kind], document);
        expect({ kind, text, problems }).toEqual({ kind, text, problems: [] });
      }
    }
  });

  describeIfDescribed("and the published description", (api) => {
    test("render to documents that validate", () => {
      const deviations = new Set<string>();
      let count = 0;
      for (const { kind, value } of states) {
        for (const text of documentsOf(kind, value)) {
          const document = JSON.parse(text);
          const problems = api.validate(SCHEMAS[kind], document).filter((problem) => {
            const known = KNOWN_DEVIATIONS.exec(problem);
            if (known?.[1]) deviations.add(known[1].replace(/\d/, "n"));
            return !known;
          });
          const schema = kind === "mosaicRestriction" ? mosaicRestrictionSchema(document) : SCHEMAS[kind];
          expect({ kind, text, problems, unknown: api.unknownFields(schema, document) }).toEqual({
            kind,
            text,
            problems: [],
            unknown: [],
          });
          ++count;
        }
      }
      process.stderr.write(`state values: ${count} documents validated; deviations: ${[...deviations].join(", ")}\n`);
      expect(count).toBeGreaterThan(states.length);
      expect([...deviations].sort()).toEqual([
        "activityBuckets/n/rawScore",
        "importance",
        "importanceHeight",
        "publicKeyHeight",
      ]);
    });
  });

  function mosaicRestrictionSchema(document: { mosaicRestrictionEntry: { entryType: number } }): string {
    return document.mosaicRestrictionEntry.entryType === 0
      ? "MosaicAddressRestrictionDTO"
      : "MosaicGlobalRestrictionDTO";
  }

  test("have the counts of the network's file", () => {
    const { currencyMosaicId, harvestingMosaicId, accounts } = chain.networkFile;
    const byAddress = new Map(
      states.filter(({ kind }) => kind === "account").map(({ key, value }) => [key.toString("hex"), value]),
    );
    let found = 0;
    for (const { publicKey } of accounts) {
      const address = addressOfPublicKey(hex(publicKey), chain.network.identifier);
      const value = byAddress.get(address.toString("hex"));
      if (!value) continue;
      const account = decodeState("account", value);
      const isKnown = account.publicKeyHeight > 0;
      expect(account.publicKey).toEqual(isKnown ? hex(publicKey) : Buffer.alloc(32));
      ++found;
    }
    expect(found).toBeGreaterThan(5);
    const all = [...byAddress.values()].map((value) => decodeState("account", value));
    for (const id of [currencyMosaicId, harvestingMosaicId].map((text) => BigInt(`0x${text}`))) {
      const mosaic = states.find(({ kind, key }) => kind === "mosaic" && key.readBigUInt64LE() === id);
      const supply = decodeState("mosaic", mosaic!.value).supply;
      const held = all.reduce(
        (sum, account) => sum + (account.mosaics.find((balance) => balance.id === id)?.amount ?? 0n),
        0n,
      );
      // Locked amounts have no owner.
      expect(held).toBeLessThanOrEqual(supply);
      expect(supply - held).toBeLessThan(1_000_000_000n);
    }
  });

  test("of accounts render keys, importances and buckets as the reference does", () => {
    const accounts = states.filter(({ kind }) => kind === "account").map(({ value }) => decodeState("account", value));
    const documents = accounts.map((account) => JSON.parse(renderAccount(account, ID)).account);
    const withKeys = documents.find(({ supplementalPublicKeys: keys }) => keys.linked && keys.vrf && keys.voting);
    expect(withKeys.supplementalPublicKeys).toEqual({
      linked: { publicKey: expect.stringMatching(/^[0-9A-F]{64}$/) },
      vrf: { publicKey: expect.stringMatching(/^[0-9A-F]{64}$/) },
      voting: {
        publicKeys: [
          {
            publicKey: expect.stringMatching(/^[0-9A-F]{64}$/),
            startEpoch: expect.any(Number),
            endEpoch: expect.any(Number),
          },
        ],
      },
    });
    const [important, plain] = [true, false].map(
      (is) => documents[accounts.findIndex((one) => !!one.importance === is)],
    );
    expect(important.activityBuckets).toHaveLength(5);
    expect(important.importanceHeight).toBe("580");
    expect(Object.keys(important.activityBuckets[0])).toEqual([
      "startHeight",
      "totalFeesPaid",
      "beneficiaryCount",
      "rawScore",
    ]);
    expect(plain).toMatchObject({ activityBuckets: [], importance: "0", importanceHeight: "0" });
    expect(plain.supplementalPublicKeys).toEqual({});
  });

  test("of a root namespace render one document for the root and one for each namespace below it", () => {
    const roots = states
      .filter(({ kind }) => kind === "namespace")
      .map(({ value }) => decodeState("namespace", value))
      .filter(({ entries }) => entries.some(({ path }) => path.length === 3));
    expect(roots.length).toBeGreaterThan(0);
    const [root] = roots as [StateByKind["namespace"]];
    const [first, ...below] = root.entries.map((entry) => JSON.parse(renderNamespace(root, entry, 0, ID)).namespace);
    expect(first).toMatchObject({ registrationType: 0, depth: 1, parentId: "0000000000000000" });
    expect(first).not.toHaveProperty("level1");
    for (const child of below) {
      expect(child).toMatchObject({ registrationType: 1, level0: first.level0, ownerAddress: first.ownerAddress });
      expect(child.parentId).toBe(child[`level${child.depth - 2}`]);
    }
    const aliasTypes = new Set(
      states
        .filter(({ kind }) => kind === "namespace")
        .flatMap(({ value }) => documentsOf("namespace", value).map((text) => JSON.parse(text).namespace.alias.type)),
    );
    expect([...aliasTypes].sort()).toEqual([0, 1, 2]);
  });

  test("of namespaces have indexes that match the node's count of registrations", () => {
    const roots = states
      .filter(({ kind }) => kind === "namespace")
      .map(({ key, value }) => ({ key, root: decodeState("namespace", value) }))
      .filter(({ key, root }) => key.readBigUInt64LE() === root.id)
      .map(({ root }) => root);
    const registrations = recordedRegistrations(chain);
    const indexes = roots.map((root) => {
      const since = registrations.filter(({ id, height }) => id === root.id && height >= root.startHeight);
      const durations = since.map(({ duration }) => duration);
      return namespaceIndex(root, durations, FINALIZED_HEIGHT);
    });
    const kept = roots.reduce((sum, { entries }, at) => sum + (indexes[at]! + 1) * entries.length, 0);
    expect(indexes.filter((index) => index > 0)).toHaveLength(10);
    expect(kept).toBe(diagnosticCounter(chain, "NS C DS"));
    expect(roots).toHaveLength(diagnosticCounter(chain, "NS C"));
  });

  test("that are truncated, extended or of another version are rejected, naming the field", () => {
    const samples = new Map(states.map((state) => [`${state.kind} ${state.value.length}`, state]));
    for (const { kind, value } of samples.values()) {
      for (let size = 0; size < value.length; ++size)
        expect(() => decodeState(kind, value.subarray(0, size))).toThrow(EntityError);
      expect(() => decodeState(kind, Buffer.concat([value, Buffer.of(0)]))).toThrow(
        `${kind}.end: expected at offset ${value.length}, 1 bytes are left`,
      );
      const newer = Buffer.from(value);
      newer.writeUInt16LE(2);
      expect(() => decodeState(kind, newer)).toThrow(`${kind}.version: 2 is unknown`);
    }
    expect(samples.size).toBeGreaterThanOrEqual(STATE_KINDS.length);
  });

  test("with impossible counts, types and flags are rejected, naming the field", () => {
    const changed = (kind: StateKind, change: (value: Buffer) => void) => {
      const value = Buffer.from(states.find((state) => state.kind === kind)!.value);
      change(value);
      return () => decodeState(kind, value);
    };
    expect(changed("account", (value) => value.writeUInt8(4, 74))).toThrow("account.accountType: 4 is unknown");
    expect(changed("account", (value) => value.writeUInt8(9, 75))).toThrow("account.format: 9 is unknown");
    expect(changed("account", (value) => value.writeUInt8(8, 76))).toThrow("account.supplementalPublicKeysMask");
    expect(changed("account", (value) => value.writeUInt8(255, 77))).toThrow("account.votingKeys: 255 do not fit");
    expect(changed("account", (value) => value.fill(0xff, 26, 34))).toThrow("account.addressHeight");
    expect(changed("multisig", (value) => value.fill(0xff, 34, 42))).toThrow(
      "multisig.cosignatoryAddresses: 18446744073709551615 do not fit",
    );
    expect(changed("metadata", (value) => value.writeUInt8(3, 66))).toThrow("metadata.metadataType: 3 is unknown");
    expect(changed("hashLock", (value) => value.writeUInt8(2, 50))).toThrow("hashLock.status: 2 is unknown");
    expect(changed("secretLock", (value) => value.writeUInt8(3, 51))).toThrow("secretLock.hashAlgorithm: 3");
    expect(changed("namespace", (value) => value.writeUInt8(3, 50))).toThrow("namespace.alias.type: 3 is unknown");
    expect(changed("namespace", (value) => value.writeUInt8(0, 59))).toThrow("namespace.children[0].depth: is 0");
    expect(changed("accountRestriction", (value) => value.writeUInt16LE(3, 34))).toThrow(
      "accountRestriction.restrictions[0].flags: 0x3 are unknown",
    );
    expect(changed("mosaicRestriction", (value) => value.writeUInt8(2, 2))).toThrow("mosaicRestriction.entryType: 2");
  });
});
