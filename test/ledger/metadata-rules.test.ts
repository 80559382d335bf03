import { describe, expect, test } from "@jest/globals";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { addressAlias, metadata, mosaicAlias, rootNamespace } from "../devnet/state-descriptors.js";
import {
  account,
  addressOf,
  aliasOf,
  type Descriptor,
  mosaicDefinition,
  mosaicOf,
  TestChain,
} from "../devnet/state-test-chain.js";
import { namespaceIdOf } from "../support/namespace-ids.js";

/** Sets metadata of alice on herself; the value is combined with the one that is there. */
function change(value: Uint8Array, valueSizeDelta: number, more: Record<string, unknown> = {}): Descriptor {
  return { ...metadata("alice", ""), value, valueSizeDelta, ...more };
}

function build(chain: TestChain, descriptor: Descriptor) {
  return chain.aggregate("alice", [chain.embedded("alice", descriptor)]);
}

function codeOf(chain: TestChain, descriptor: Descriptor): FailureName | undefined {
  return chain.rejectionOf(build(chain, descriptor));
}

function values(chain: TestChain): readonly string[] {
  return chain.state.tables.metadata.table.values().map(({ value }) => value.toString("hex"));
}

const bytes = (...numbers: readonly number[]) => Uint8Array.from(numbers);

describe("the value of a metadata entry", () => {
  test("has 1 to 1,024 bytes, by which it changes at most", () => {
    const chain = new TestChain(["alice"]);
    const codes = [
      [0, 0],
      [1, 1],
      [1024, 1024],
      [1025, 1025],
      [5, 6],
      [5, -6],
      [5, -5],
      [5, 4],
      [5, 0],
    ].map(([size, delta]) => codeOf(chain, change(new Uint8Array(size!), delta!)));
    const mismatch = "Failure_Metadata_Value_Size_Delta_Mismatch";
    expect(codes).toEqual([
      "Failure_Metadata_Value_Too_Small",
      undefined,
      undefined,
      "Failure_Metadata_Value_Too_Large",
      "Failure_Metadata_Value_Size_Delta_Too_Large",
      "Failure_Metadata_Value_Size_Delta_Too_Large",
      mismatch,
      mismatch,
      mismatch,
    ]);
  });

  test("is combined by XOR, grows with the new bytes, and shrinks where the old ones are repeated", () => {
    const chain = new TestChain(["alice"]);
    chain.mine(build(chain, change(bytes(1, 2, 3), 3)));
    const codes = [
      change(bytes(0, 0, 0, 9), 1),
      change(bytes(0, 0, 0, 9), 2),
      change(bytes(0, 0), -1),
      change(bytes(7, 7, 3), -1),
      change(bytes(7, 7, 4), -1),
      change(bytes(1, 2, 3), -3),
    ].map((descriptor) => codeOf(chain, descriptor));
    expect(codes).toEqual([
      undefined,
      "Failure_Metadata_Value_Size_Delta_Mismatch",
      "Failure_Metadata_Value_Size_Delta_Mismatch",
      undefined,
      "Failure_Metadata_Value_Change_Irreversible",
      undefined,
    ]);
    chain.mine(build(chain, change(bytes(1, 0, 0, 9), 1)));
    expect(values(chain)).toEqual(["00020309"]);
    chain.mine(build(chain, change(bytes(5, 0, 3, 9), -2)));
    expect(values(chain)).toEqual(["0502"]);
    chain.mine(build(chain, change(bytes(5, 2), -2)));
    expect(values(chain)).toEqual([]);
  });
});

describe("a metadata entry", () => {
  test("belongs to its source, its target, its key, and the mosaic or namespace, each resolved", () => {
    const chain = new TestChain(["alice"]);
    const send = (...descriptors: readonly Descriptor[]) =>
      chain.mine(...descriptors.map((descriptor) => chain.transaction("alice", descriptor)));
    send(rootNamespace("house", 100n), rootNamespace("garden", 100n), mosaicDefinition("alice", 1));
    send(addressAlias("house", "alice", "link"), mosaicAlias("garden", mosaicOf("alice", 1), "link"));
    const alias = Uint8Array.from(aliasOf("house"));
    const ofMosaic = (targetMosaicId: bigint) =>
      change(bytes(1), 1, { type: "mosaic_metadata_transaction_v1", targetMosaicId });
    const ofNamespace = (name: string) =>
      change(bytes(1), 1, { type: "namespace_metadata_transaction_v1", targetNamespaceId: namespaceIdOf(name) });
    for (const descriptor of [
      change(bytes(1), 1),
      change(bytes(1), 1, { scopedMetadataKey: 2n }),
      ofMosaic(mosaicOf("alice", 1)),
      ofNamespace("house"),
    ]) {
      chain.mine(build(chain, descriptor));
    }
    expect(values(chain)).toHaveLength(4);
    const exists = "Failure_Metadata_Value_Size_Delta_Mismatch";
    expect(codeOf(chain, change(bytes(1), 1, { targetAddress: alias }))).toBe(exists);
    expect(codeOf(chain, ofMosaic(namespaceIdOf("garden")))).toBe(exists);
    expect(codeOf(chain, ofMosaic(namespaceIdOf("house")))).toBe("Failure_Mosaic_Expired");
    expect(codeOf(chain, ofNamespace("garden"))).toBeUndefined();
    expect(codeOf(chain, { ...ofNamespace("garden"), targetAddress: alias })).toBeUndefined();
    expect(codeOf(chain, ofNamespace("nothing"))).toBe("Failure_Namespace_Unknown");
    const { sourceAddress, targetAddress } = chain.state.tables.metadata.table.values()[0]!;
    expect([sourceAddress, targetAddress]).toEqual([account("alice").address, account("alice").address]);
  });

  test("needs a mosaic or a namespace of the target's that has not ended", () => {
    const chain = new TestChain(["alice", "bob"]);
    chain.send("alice", rootNamespace("house", 12n), mosaicDefinition("alice", 1, { duration: 12n }));
    const ofMosaic = change(bytes(1), 1, {
      type: "mosaic_metadata_transaction_v1",
      targetMosaicId: mosaicOf("alice", 1),
    });
    const ofNamespace = change(bytes(1), 1, {
      type: "namespace_metadata_transaction_v1",
      targetNamespaceId: namespaceIdOf("house"),
    });
    const ofBob = { ...ofMosaic, targetAddress: addressOf("bob") };
    expect(chain.rejectionOf(chain.aggregate("alice", [chain.embedded("alice", ofBob)], ["bob"]))).toBe(
      "Failure_Mosaic_Owner_Conflict",
    );
    const both = () => [codeOf(chain, ofMosaic), codeOf(chain, ofNamespace)];
    chain.skip(10);
    expect(both()).toEqual([undefined, undefined]);
    chain.mine(build(chain, ofMosaic));
    expect(both()).toEqual(["Failure_Metadata_Value_Size_Delta_Mismatch", "Failure_Namespace_Expired"]);
    expect(values(chain)).toEqual(["01"]);
  });
});
