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
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { renderBlockMessage } from "../../catapult/json/block.js";
import { renderTransactionMessage, withEmbedded } from "../../catapult/json/transaction.js";
import { inflationStepAt, inflationSteps } from "../../catapult/network/inflation.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeStatePath, renderStatePath } from "../../catapult/state/tree-path.js";
import { shiftedMerkleRoot } from "../../catapult/verify/aggregate-hash.js";
import { checkTransaction } from "../../catapult/verify/check-transaction.js";
import { computeEpoch } from "../../ledger/config/finalization-config.js";
import { MAIN_NETWORK, publicConfig, TEST_NETWORK } from "../support/main-network.js";
import { renderEmbedded, renderTransaction } from "../support/render-transaction.js";
import { dataLines } from "../support/test-data.js";

const earlierTestNetwork = (seed: string): NetworkIdentity => ({
  identifier: 152,
  generationHashSeed: Buffer.from(seed, "hex"),
});

/** Public networks by the names in `test/data/public`: today's, and test networks that were replaced. */
const NETWORKS: Readonly<Record<string, NetworkIdentity>> = {
  mainnet: MAIN_NETWORK,
  testnet: TEST_NETWORK,
  testnet2022: earlierTestNetwork("7FCCD304802016BEBBCD342A332F91FF1F3BB5E902988B352697BE245F48E836"),
  testnet2021: earlierTestNetwork("3B5E1FA6445653C971A50687E75E6D09FB30481055E3990C84B25E9222DC1155"),
  testnet2020b: earlierTestNetwork("45FBCF2F0EA36EFA7923C9BC923D6503169651F7FA4EFC46A8EAF5AE09057EBD"),
  testnet2020d: earlierTestNetwork("6C1B92391CCB41C96478471C2634C111D9E989DECD66130C0430B5B8D20117CD"),
};

/** Of all files there; bytes are upper-case hex. */
interface PublicRow {
  readonly network: string;
  readonly height: number;
  readonly hash: string;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
type Body = any;

/** A header from its first byte to the fee multiplier, and what a node or a client library said of the block. */
interface PublicBlock extends PublicRow {
  readonly header: string;
  readonly content: Body;
}

/** A transaction with what a node said of it: the body of `/transactions/confirmed/{hash}`, or a message. */
interface PublicTransaction extends PublicRow {
  readonly kind: "transaction" | "transaction message";
  readonly payload: string;
  readonly content: Body;
}

/** The header of an aggregate, and the hashes of its embedded transactions: without, and with their padding. */
interface PublicAggregate extends PublicRow {
  readonly header: string;
  readonly leaves: readonly string[];
  readonly paddedLeaves: readonly string[];
}

/** A signed transaction that was published, whether or not it was ever confirmed. */
interface PublicPayload extends PublicRow {
  readonly payload: string;
}

/** A path in a state tree: to a key, or to where it would be if there is no `valueHash`. */
interface PublicPath {
  readonly raw: string;
  readonly valueHash?: string;
  /** Kind of state and key, where the key itself is known. */
  readonly state?: StateKind;
  readonly id?: string;
  /** The hashed key, where only that is known. */
  readonly key?: string;
  /** Of the tree; if it is absent, its root is one of those under the state hash. */
  readonly root?: string;
  readonly stateHash?: string;
  readonly roots?: readonly string[];
  readonly rootIndex?: number;
  /** As in a REST body. */
  readonly tree?: Body;
}

const hexBytes = (text: string): Buffer => Buffer.from(text, "hex");

function publicNetworkOf({ network }: PublicRow): NetworkIdentity {
  const known = NETWORKS[network];
  if (!known) throw new Error(`unknown network ${network}`);
  return known;
}

/** Every row of a file in `test/data/public`. */
function publicRows<Row>(name: string): Row[] {
  return dataLines(`public/${name}.jsonl.gz`);
}

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
