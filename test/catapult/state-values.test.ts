import { expect, test } from "@jest/globals";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { keyOfState, stateKeySize, statePathPacket } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeState, type StateByKind } from "../../catapult/state/state.js";
import { statePathRequest } from "../../catapult/wire/state-request.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { RecordedChain } from "../support/recorded-chain.js";

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

test("keys of state have the size that the node's packets require", () => {
  for (const kind of STATE_KINDS) {
    const path = statePathPacket(kind);
    const size = stateKeySize(kind);
    expect(statePathRequest(path, Buffer.alloc(size)).payload).toHaveLength(size);
    expect(() => statePathRequest(path, Buffer.alloc(size + 1))).toThrow(`${size} bytes`);
  }
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
    expect(changed("account", (value) => value.writeUInt8(4, 74))).toThrow(
      "account.accountType: is 4, above the maximum of 3",
    );
    expect(changed("account", (value) => value.writeUInt8(9, 75))).toThrow("account.format: is 9, above");
    expect(changed("account", (value) => value.writeUInt8(8, 76))).toThrow("account.supplementalPublicKeysMask");
    expect(changed("account", (value) => value.writeUInt8(255, 77))).toThrow("account.votingKeys: 255 do not fit");
    expect(changed("account", (value) => value.fill(0xff, 26, 34))).toThrow("account.addressHeight");
    expect(changed("multisig", (value) => value.fill(0xff, 34, 42))).toThrow(
      "multisig.cosignatoryAddresses: 18446744073709551615 do not fit",
    );
    expect(changed("metadata", (value) => value.writeUInt8(3, 66))).toThrow("metadata.metadataType: is 3, above");
    expect(changed("hashLock", (value) => value.writeUInt8(2, 50))).toThrow("hashLock.status: is 2, above");
    expect(changed("secretLock", (value) => value.writeUInt8(3, 51))).toThrow("secretLock.hashAlgorithm: is 3");
    expect(changed("namespace", (value) => value.writeUInt8(3, 50))).toThrow("namespace.alias.type: is 3, above");
    expect(changed("namespace", (value) => value.writeUInt8(0, 59))).toThrow("namespace.children[0].depth: is 0");
    expect(changed("accountRestriction", (value) => value.writeUInt16LE(3, 34))).toThrow(
      "accountRestriction.restrictions[0].flags: 0x3 are unknown",
    );
    expect(changed("mosaicRestriction", (value) => value.writeUInt8(2, 2))).toThrow(
      "mosaicRestriction.entryType: is 2",
    );
  });
});
