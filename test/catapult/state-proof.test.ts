import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import parserModule from "symbol-sdk-v2/dist/src/model/state/MerkleTreeParser.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { stateKeySize } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { type StateClaim, StateProofError, verifyStateValue } from "../../catapult/state/proof.js";
import { decodeStatePath, renderStatePath, type StateTreeNode } from "../../catapult/state/tree-path.js";
import { pathTo, rootHash, type TreeNode } from "../../ledger/state/patricia-tree.js";
import { publishedApi } from "../support/openapi.js";
import { ownOpenApi } from "../support/own-openapi.js";
import { describeRecorded } from "../support/recorded-chain.js";
import { SeededRandom } from "../support/seeded-random.js";
import { setLeaf } from "../support/tree-leaf.js";

const HEIGHT = 596;

interface TreeParser {
  parseMerkleTreeFromRaw(raw: Uint8Array): unknown[];
}
const { default: Parser } = parserModule as unknown as { default: new () => TreeParser };

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

/** An open hash lock for this hash, as a state value. */
function openLock(hash: Buffer): Buffer {
  const head = Buffer.alloc(51);
  head.writeUInt16LE(1);
  head.writeBigUInt64LE(1_000_000n, 42);
  return Buffer.concat([head, hash]);
}

function sha3(...parts: readonly Buffer[]): Buffer {
  return createHash("sha3-256").update(Buffer.concat(parts)).digest();
}

describe("paths of random trees", () => {
  const random = new SeededRandom();
  const randomHash = () => random.bytes(32);

  function claimIn(tree: TreeNode | undefined, key: Buffer, value: Buffer | undefined): StateClaim {
    const subCacheMerkleRoots = STATE_KINDS.map((kind) => (kind === "hashLock" ? rootHash(tree) : Buffer.alloc(32)));
    const path = pathTo(tree, sha3(key));
    return {
      kind: "hashLock",
      key,
      value,
      path,
      subCacheMerkleRoots,
      stateHash: sha3(...subCacheMerkleRoots),
      height: 1,
    };
  }

  test("prove presence and absence, and nothing else", () => {
    const ends = { noLink: 0, otherLeaf: 0, partedBranch: 0 };
    for (let size = 1; size <= 60; ++size) {
      const keys = Array.from({ length: size }, randomHash);
      const tree = keys.reduce<TreeNode | undefined>(
        (root, key) => setLeaf(root, sha3(key), sha3(openLock(key))),
        undefined,
      );
      for (const key of keys) {
        expect(verifyStateValue(claimIn(tree, key, openLock(key)))).toEqual({ result: "present" });
        expect(() => verifyStateValue(claimIn(tree, key, undefined))).toThrow(StateProofError);
      }
      for (let count = 0; count < 30; ++count) {
        const key = randomHash();
        const claim = claimIn(tree, key, undefined);
        expect(verifyStateValue(claim)).toEqual({ result: "absent" });
        expect(() => verifyStateValue({ ...claim, value: openLock(key) })).toThrow("value: was returned");
        ends[endOf(claim)]++;
      }
    }
    process.stderr.write(`random trees: absence shown by ${JSON.stringify(ends)}\n`);
    for (const count of Object.values(ends)) expect(count).toBeGreaterThan(0);
  });

  /** The evidence that a key is absent: the first node whose path differs from the key, or a branch without a link. */
  function endOf({ key, path }: StateClaim): "noLink" | "otherLeaf" | "partedBranch" {
    let rest = sha3(key).toString("hex");
    for (const node of decodeStatePath(path)) {
      if (node.kind === "leaf") return "otherLeaf";
      if (!rest.startsWith(node.nibbles)) return "partedBranch";
      rest = rest.slice(node.nibbles.length + 1);
    }
    return "noLink";
  }

  test("of an empty tree prove absence", () => {
    expect(verifyStateValue(claimIn(undefined, randomHash(), undefined))).toEqual({ result: "absent" });
  });
});

describeRecorded("state paths", (chain) => {
  const subCacheMerkleRoots = chain.subCacheMerkleRoots();
  const header = chain.blocks().at(-1)!.block;
  const stateHash = header.subarray(312, 344);
  const values = new Map(
    chain
      .lines<{ kind: StateKind; key: string; value: string }>("states.jsonl.gz")
      .map(({ kind, key, value }) => [`${kind} ${key}`, hex(value)]),
  );
  const recorded = chain.lines<{ kind: StateKind; key: string; path: string }>("state-paths.jsonl.gz");
  const claims: StateClaim[] = recorded
    .filter(({ key }) => key !== "ABSENT")
    .map(({ kind, key, path }) => ({
      kind,
      key: hex(key),
      value: values.get(`${kind} ${key}`),
      path: hex(path),
      subCacheMerkleRoots,
      stateHash,
      height: HEIGHT,
    }));
  const claimOf = (kind: StateKind) => claims.find((claim) => claim.kind === kind)!;

  test("prove every recorded value, or explain why the tree lacks it", () => {
    const counts: Record<string, number> = {};
    for (const claim of claims) {
      const proof = verifyStateValue(claim);
      const name = `${claim.kind} ${proof.result}${proof.result === "inactive" ? ` ${proof.reason}` : ""}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    process.stderr.write(`state paths: ${claims.length}: ${JSON.stringify(counts)}\n`);
    expect(counts).toEqual({
      "account present": 529,
      "mosaic present": 43,
      "metadata present": 37,
      "multisig present": 36,
      "accountRestriction present": 10,
      "mosaicRestriction present": 38,
      "secretLock present": 10,
      "secretLock inactive used": expect.any(Number),
      "hashLock inactive used": expect.any(Number),
      "namespace present": 12,
      "namespace inactive expired": 1,
      "namespace child": 21,
    });
    expect((counts["secretLock inactive used"] ?? 0) + (counts["hashLock inactive used"] ?? 0)).toBe(16);
  });

  test("prove the absence of keys that lead along a recorded path to its end", () => {
    const random = new SeededRandom();
    const ends: Record<string, string> = {};
    for (const { kind, path } of recorded.filter(({ key }) => key === "ABSENT")) {
      const nodes = decodeStatePath(hex(path));
      const key = firstOf(
        () => random.bytes(stateKeySize(kind)),
        (one) => leadsAlong(nodes, one),
      );
      const claim = { kind, key, value: undefined, path: hex(path), subCacheMerkleRoots, stateHash, height: HEIGHT };
      expect(verifyStateValue(claim)).toEqual({ result: "absent" });
      ends[kind] = nodes.at(-1)?.kind ?? "empty tree";
    }
    expect(Object.keys(ends).sort()).toEqual([...STATE_KINDS].sort());
    expect(ends.hashLock).toBe("empty tree");
  });

  function firstOf(make: () => Buffer, isWanted: (key: Buffer) => boolean): Buffer {
    for (let tries = 0; tries < 200_000; ++tries) {
      const key = make();
      if (isWanted(key)) return key;
    }
    throw new Error("no such key was found");
  }

  /** Whether the path of a key leads from each of these nodes to the next, and ends after the last. */
  function leadsAlong(nodes: readonly StateTreeNode[], key: Buffer): boolean {
    let rest = sha3(key).toString("hex");
    return nodes.every((node, index) => {
      const digit = rest[node.nibbles.length];
      const link = node.kind === "branch" ? node.links[Number.parseInt(digit ?? "0", 16)] : undefined;
      const isPassed = rest.startsWith(node.nibbles) || index === nodes.length - 1;
      rest = rest.slice(node.nibbles.length + 1);
      const next = nodes[index + 1]?.hash;
      return isPassed && (next ? link?.equals(next) === true : link === undefined);
    });
  }

  test("do not prove a value with other bytes, another key, another height, or none", () => {
    for (const kind of STATE_KINDS) {
      const claim = claimOf(kind);
      if (verifyStateValue(claim).result !== "present") continue;
      const value = Buffer.from(claim.value!);
      value[value.length - 1]! ^= 1;
      expect(() => verifyStateValue({ ...claim, value })).toThrow(StateProofError);
      expect(() => verifyStateValue({ ...claim, value: undefined })).toThrow(
        "value: is missing, but the tree has such a key",
      );
      const other = claims.find((one) => one.kind === kind && !one.key.equals(claim.key))!;
      expect(() => verifyStateValue({ ...claim, key: other.key })).toThrow(StateProofError);
      expect(() => verifyStateValue({ ...claim, path: other.path })).toThrow(StateProofError);
      expect(() => verifyStateValue({ ...claim, stateHash: Buffer.alloc(32) })).toThrow("stateHash");
      const wrongKind = kind === "account" ? "multisig" : "account";
      expect(() => verifyStateValue({ ...claim, kind: wrongKind })).toThrow("path[0]: is not the tree's root");
    }
  });

  test("errors name the invalid part of a path", () => {
    const claim = claimOf("account");
    const nodes = decodeStatePath(claim.path);
    const cut = (count: number) => claim.path.subarray(0, sizeOf(nodes.length - count));
    const sizeOf = (count: number) =>
      nodes.slice(0, count).reduce((sum, node) => {
        const path = 2 + Math.ceil(node.nibbles.length / 2);
        return sum + path + (node.kind === "leaf" ? 32 : 2 + 32 * node.links.filter((link) => link).length);
      }, 0);
    const verify = (path: Buffer) => () => verifyStateValue({ ...claim, path });
    expect(verify(cut(0))()).toEqual({ result: "present" });
    expect(verify(cut(1))).toThrow("path: ends before the end of the path");
    expect(verify(Buffer.alloc(0))).toThrow("path: is empty, but the tree is not");
    expect(verify(Buffer.concat([claim.path, claim.path]))).toThrow(`path[${nodes.length}]: is after a leaf`);
    expect(verify(claim.path.subarray(0, -1))).toThrow(`path[${nodes.length - 1}].value: needs 32 bytes`);
    expect(verify(Buffer.of(7))).toThrow("path[0].marker: 7 is neither a branch (0) nor a leaf (255)");
    expect(verify(Buffer.of(0, 65))).toThrow("path[0].nibbleCount: is 65, more than the length of a key");
    expect(verify(Buffer.of(0, 1, 0x11))).toThrow("path[0].path: has a nibble after its end");
    const unlinked = Buffer.from(claim.path);
    unlinked[unlinked.length - 1]! ^= 1;
    expect(verify(unlinked)).toThrow(`path[${nodes.length - 1}]: is not linked`);
    expect(verify(Buffer.concat(Array.from({ length: 66 }, () => Buffer.alloc(4))))).toThrow("path: has more nodes");
    expect(() => verifyStateValue({ ...claim, subCacheMerkleRoots: subCacheMerkleRoots.slice(1) })).toThrow(
      "subCacheMerkleRoots: are 8 for 9 kinds of state",
    );
    const error = captured(() => verifyStateValue({ ...claim, value: claim.value!.subarray(0, 5) }));
    expect(error).toMatchObject({ kind: "account", key: claim.key, field: "value" });
    const absent = { ...claim, key: Buffer.alloc(24, 0x98), path: Buffer.of(7) };
    expect(captured(() => verifyStateValue(absent)).cause).toBeInstanceOf(EntityError);
  });

  function captured(run: () => unknown): StateProofError {
    try {
      run();
    } catch (error) {
      if (error instanceof StateProofError) return error;
      throw error;
    }
    throw new Error("nothing was thrown");
  }

  test("do not accept as inactive a value of another key, or an active one", () => {
    const used = claims.find((claim) => claim.kind === "secretLock" && verifyStateValue(claim).result === "inactive")!;
    const open = claims.find((claim) => claim.kind === "secretLock" && verifyStateValue(claim).result === "present")!;
    expect(() => verifyStateValue({ ...used, value: open.value! })).toThrow(StateProofError);
    const reopened = Buffer.from(used.value!);
    reopened.writeUInt8(0, 50);
    reopened.writeBigUInt64LE(BigInt(HEIGHT + 1), 42);
    expect(() => verifyStateValue({ ...used, value: reopened })).toThrow(
      "value: was returned, but the tree has no such key",
    );
    expect(verifyStateValue({ ...used, value: reopened, height: HEIGHT + 1 })).toEqual({
      result: "inactive",
      reason: "expired",
    });
    const expired = claims.find(
      (claim) => claim.kind === "namespace" && verifyStateValue(claim).result === "inactive",
    )!;
    expect(() => verifyStateValue({ ...expired, height: 1 })).toThrow(
      "value: was returned, but the tree has no such key",
    );
  });

  test("of networks with fewer kinds are verified by the root of their own kind", () => {
    const kinds = ["account", "mosaic"] as const;
    const [account, , mosaic] = subCacheMerkleRoots as [Buffer, Buffer, Buffer];
    const network = { kinds, subCacheMerkleRoots: [account, mosaic], stateHash: sha3(account, mosaic) };
    expect(verifyStateValue({ ...claimOf("mosaic"), ...network })).toEqual({ result: "present" });
    expect(() => verifyStateValue({ ...claimOf("multisig"), ...network })).toThrow(
      "kind: is not a kind that the network has",
    );
    const swapped = { ...network, subCacheMerkleRoots: [mosaic, account], stateHash: sha3(mosaic, account) };
    expect(() => verifyStateValue({ ...claimOf("mosaic"), ...swapped })).toThrow("path[0]: is not the tree's root");
  });

  const api = publishedApi();

  test("render as in the published description and the earlier client library", () => {
    let count = 0;
    for (const { path } of recorded) {
      const body = JSON.parse(renderStatePath(hex(path)));
      expect(body.raw).toBe(path);
      // The description requires at least one digit, but the tree of a kind may be empty.
      if (path !== "") expect(api.validate("MerkleStateInfoDTO", body)).toEqual([]);
      expect(ownOpenApi().validate("MerkleStateInfoDTO", body)).toEqual([]);
      // The library takes ten milliseconds for one.
      if (++count % 10 === 0)
        expect(body.tree).toEqual(new Parser().parseMerkleTreeFromRaw(Uint8Array.from(hex(path))));
    }
    process.stderr.write(`state paths: ${count} rendered\n`);
    expect(() => renderStatePath(Buffer.of(1))).toThrow(EntityError);
  });
});
