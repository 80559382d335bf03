import { describe, expect, test } from "@jest/globals";
import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { verifySignature } from "../../catapult/crypto/signature.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { AGGREGATE, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import {
  blockSigningBytes,
  sha3OfMany,
  transactionHash,
  transactionSigningBytes,
} from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import { merkleComponentHash } from "../../catapult/entity/merkle-component.js";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { renderBlockMessage } from "../../catapult/json/block.js";
import { renderTransactionMessage, withEmbedded } from "../../catapult/json/transaction.js";
import { inflationStepAt, inflationSteps } from "../../catapult/network/inflation.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { decodeStatePath, renderStatePath } from "../../catapult/state/tree-path.js";
import { shiftedMerkleRoot } from "../../catapult/verify/aggregate-hash.js";
import { checkTransaction } from "../../catapult/verify/check-transaction.js";
import { computeEpoch } from "../../ledger/config/finalization-config.js";
import { MAIN_NETWORK, publicConfig, TEST_NETWORK } from "../support/main-network.js";
import {
  hexBytes,
  type PublicAggregate,
  type PublicBlock,
  type PublicPath,
  type PublicPayload,
  type PublicTransaction,
  publicNetworkOf,
  publicRows,
} from "../support/public-data.js";
import { renderEmbedded, renderTransaction } from "../support/render-transaction.js";

const titled = <Row extends { readonly network: string; readonly height?: number; readonly hash: string }>(
  rows: Row[],
) => rows.map((row) => [`${row.network} ${row.height ?? ""} ${row.hash.slice(0, 8)}`, row] as const);

describe("blocks of public networks", () => {
  const rows = publicRows<PublicBlock>("blocks");
  /** A header alone counts as a block without transactions. */
  const decoded = rows.map(({ header }) => {
    const bytes = hexBytes(header);
    bytes.writeUInt32LE(bytes.length, VERIFIABLE.size);
    return decodeBlock(bytes, MAIN_NETWORK);
  });

  test.each(titled(rows).map(([title, row], index) => [title, row, decoded[index]!] as const))(
    "%s has its hash, generation hash, signature, and body",
    (_title, { hash, height, content }, block) => {
      const { block: body = undefined, meta = content } = content;
      expect([block.height, hex(block.hash), hex(block.generationHash)]).toEqual([height, hash, meta.generationHash]);
      const signature = block.bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
      expect(verifySignature(block.signerPublicKey, blockSigningBytes(block.bytes), signature)).toBe(true);
      const roots = meta.stateHashSubCacheMerkleRoots?.map(hexBytes);
      if (roots) expect(sha3OfMany(roots)).toEqual(block.entity.stateHash);
      if (!body) return;
      const { size: _, ...ours } = JSON.parse(renderBlockMessage(block)).block;
      const { size: __, ...theirs } = body;
      expect(ours).toEqual(theirs);
    },
  );

  test("follow each other where they are neighbours", () => {
    let neighbours = 0;
    for (const [index, block] of decoded.entries()) {
      const parent = decoded[index - 1];
      if (rows[index]!.network !== rows[index - 1]?.network || block.height !== parent!.height + 1) continue;
      expect(block.previousHash).toEqual(parent!.hash);
      expect(block.timestamp).toBeGreaterThan(parent!.timestamp);
      ++neighbours;
    }
    expect(neighbours).toBe(17);
  });
});

describe("transactions of public networks", () => {
  const rows = publicRows<PublicTransaction>("transactions");

  function bodyOf(transaction: BlockTransaction, { kind, content }: PublicTransaction): unknown {
    const { meta, id } = content;
    if (kind === "transaction message") {
      // A node does not know this of an aggregate that waits for cosignatures.
      const isPartial = /^0+$/.test(meta.merkleComponentHash);
      const sent = isPartial ? { ...transaction, merkleComponentHash: Buffer.alloc(32) } : transaction;
      return JSON.parse(renderTransactionMessage(sent, Number(meta.height)));
    }
    const { height, timestamp, feeMultiplier } = meta;
    const block = { height: Number(height), timestamp: Number(timestamp), feeMultiplier };
    const text = renderTransaction({ ...transaction, index: meta.index }, block, id);
    const inner = content.transaction.transactions as { readonly id: string }[] | undefined;
    if (!inner) return JSON.parse(text);
    const embedded = transaction.embedded.map((one, index) =>
      renderEmbedded(one, transaction, block, inner[index]!.id, id),
    );
    return JSON.parse(withEmbedded(text, embedded));
  }

  test.each(titled(rows))("%s has its hash, signatures, leaf and body", (_title, row) => {
    const network = publicNetworkOf(row);
    const transaction = decodeTransaction(hexBytes(row.payload), network);
    expect(hex(transaction.hash)).toBe(row.hash);
    checkTransaction(transaction, network);
    expect(bodyOf(transaction, row)).toMatchObject(row.content);
  });

  test("are of all types but one, alone or embedded", () => {
    const types = new Set<number>();
    for (const row of rows) {
      const { entity, embedded } = decodeTransaction(hexBytes(row.payload), publicNetworkOf(row));
      for (const { type } of [entity, ...embedded.map((one) => one.entity)]) types.add(type);
    }
    expect(types.size).toBe(24);
  });
});

describe("payloads that were published", () => {
  test.each(titled(publicRows<PublicPayload>("payloads")))("%s has its hash and signatures", (_title, row) => {
    const network = publicNetworkOf(row);
    const transaction = decodeTransaction(hexBytes(row.payload), network);
    expect(hex(transaction.hash)).toBe(row.hash);
    checkTransaction(transaction, network);
  });
});

describe("aggregates of the main network with an early library's hash", () => {
  const rows = publicRows<PublicAggregate>("aggregates");

  test.each(titled(rows))("%s has the shifted root over padded leaves, and no other", (_title, row) => {
    const header = hexBytes(row.header);
    expect(hex(transactionHash(header, MAIN_NETWORK))).toBe(row.hash);
    const signer = header.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
    const signature = header.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
    expect(verifySignature(signer, transactionSigningBytes(header, MAIN_NETWORK), signature)).toBe(true);
    const claimed = header.subarray(AGGREGATE.transactionsHash, AGGREGATE.payloadSize);
    const [leaves, padded] = [row.leaves.map(hexBytes), row.paddedLeaves.map(hexBytes)];
    const roots = [merkleRoot(leaves), merkleRoot(padded), shiftedMerkleRoot(leaves), shiftedMerkleRoot(padded)];
    expect(roots.map((root) => root.equals(claimed))).toEqual([false, false, false, true]);
  });
});

test("a bonded aggregate of the test network is signed by four, and its leaf covers three of them", () => {
  const [row] = publicRows<PublicBlock>("aggregate-header");
  const { meta, transaction } = row!.content;
  const header = Buffer.alloc(AGGREGATE.headerSize);
  header.writeUInt32LE(transaction.size, VERIFIABLE.size);
  hexBytes(transaction.signature + transaction.signerPublicKey).copy(header, VERIFIABLE.signature);
  header.writeUInt8(transaction.version, VERIFIABLE.version);
  header.writeUInt8(transaction.network, VERIFIABLE.version + 1);
  header.writeUInt16LE(transaction.type, VERIFIABLE.type);
  header.writeBigUInt64LE(BigInt(transaction.maxFee), VERIFIABLE.type + 2);
  header.writeBigUInt64LE(BigInt(transaction.deadline), VERIFIABLE.type + 10);
  hexBytes(transaction.transactionsHash).copy(header, AGGREGATE.transactionsHash);
  const cosignatures: { signerPublicKey: string; signature: string }[] = transaction.cosignatures;
  header.writeUInt32LE(transaction.size - header.length - 104 * cosignatures.length, AGGREGATE.payloadSize);
  expect(hex(transactionHash(header, TEST_NETWORK))).toBe(meta.hash);
  const signed = transactionSigningBytes(header, TEST_NETWORK);
  expect(verifySignature(hexBytes(transaction.signerPublicKey), signed, hexBytes(transaction.signature))).toBe(true);
  for (const { signerPublicKey, signature } of cosignatures)
    expect(verifySignature(hexBytes(signerPublicKey), hexBytes(meta.hash), hexBytes(signature))).toBe(true);
  const payload = Buffer.alloc(header.readUInt32LE(AGGREGATE.payloadSize));
  const attached = cosignatures.map((one) => hexBytes(`${"00".repeat(8)}${one.signerPublicKey}${one.signature}`));
  const bytes = Buffer.concat([header, payload, ...attached]);
  expect(hex(merkleComponentHash(hexBytes(meta.hash), bytes))).toBe(meta.merkleComponentHash);
});

describe("paths in trees of state", () => {
  const rows = publicRows<PublicPath>("state-paths");

  /** The hash of the value that a path leads to; undefined if it ends without the key. */
  function reached({ raw, ...row }: PublicPath, root: Buffer): string | undefined {
    const nodes = decodeStatePath(hexBytes(raw));
    let rest = row.key!.toLowerCase();
    let expected: Buffer | undefined = root;
    for (const node of nodes) {
      expect(hex(node.hash)).toBe(expected && hex(expected));
      if (node.kind === "leaf") return node.nibbles === rest ? hex(node.valueHash) : undefined;
      if (!rest.startsWith(node.nibbles)) return undefined;
      expected = node.links[Number.parseInt(rest[node.nibbles.length]!, 16)];
      rest = rest.slice(node.nibbles.length + 1);
    }
    expect(expected).toBeUndefined();
    return undefined;
  }

  test("of hashed keys lead to the value under the tree's root, whose state hash is of nine roots", () => {
    const hashed = rows.filter(({ state }) => state === undefined);
    for (const row of hashed) {
      const root = row.root ?? row.roots![row.rootIndex!]!;
      expect(reached(row, hexBytes(root))).toBe(row.valueHash);
      if (row.roots) expect(hex(sha3OfMany(row.roots.map(hexBytes)))).toBe(row.stateHash);
      if (row.tree) expect(JSON.parse(renderStatePath(hexBytes(row.raw))).tree).toEqual(row.tree);
    }
    expect(hashed.filter(({ roots }) => roots?.length === STATE_KINDS.length)).toHaveLength(3);
    expect(hashed).toHaveLength(6);
  });
});

test("inflation and finalization epochs are those of public nodes", () => {
  const amountAt = (network: typeof MAIN_NETWORK, height: number) =>
    inflationStepAt(inflationSteps(publicNetwork(network)!.inflation), height)?.amount;
  expect(amountAt(MAIN_NETWORK, 5_764_879)).toBe(73_210_170n);
  expect(amountAt(TEST_NETWORK, 2_637_258)).toBe(123_869_918n);
  const { votingSetGrouping } = publicConfig(MAIN_NETWORK);
  const epochs = [2_549_720, 5_763_656, 5_772_912].map((height) => computeEpoch(height, votingSetGrouping));
  expect(epochs).toEqual([1_772, 4_004, 4_010]);
});
