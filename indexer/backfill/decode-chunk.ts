import type { Insertable } from "kysely";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/model.js";
import type { StateKey } from "../../catapult/state/key.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import { isImportanceBlock, touchedKeys } from "../../catapult/state/touched.js";
import { BlockRefusedError, verifyBlock } from "../../catapult/verify.js";
import type { NamespaceRegistrationTable } from "../../schema/db/namespace-names.js";
import { collectionEntries } from "../collection-entries.js";
import { byList } from "../counters.js";
import { addBlock, emptyRows } from "../rows.js";
import { registrationRows } from "../state/registrations.js";
import { type ChainEnd, scoreBehind } from "./chain-end.js";
import { type CopiedRows, encodeRows } from "./copy-tables.js";
import { packLists } from "./packed-lists.js";
import type { SourceBlock } from "./source.js";

/** Some blocks in a row, and what the first of them follows. */
export interface Chunk {
  readonly parent: ChainEnd;
  readonly blocks: readonly SourceBlock[];
}

export interface DecodeOptions {
  readonly network: NetworkIdentity;
  /** Whether all signatures are checked; hashes always are. */
  readonly checkSignatures: boolean;
  /** Whether the blocks' bytes are rows too, or are there already. */
  readonly writesRaw: boolean;
  /** See `TouchOptions`. */
  readonly harvestFeeSink?: Buffer | undefined;
}

/** Everything that is written of some blocks. */
export interface DecodedChunk {
  readonly end: ChainEnd;
  readonly blocks: number;
  /** Without embedded ones. */
  readonly transactions: number;
  readonly tables: readonly CopiedRows[];
  /** See `packed-lists.ts`. */
  readonly lists: Buffer;
  /** What the blocks may change in the state, by what stands in them. */
  readonly stateKeys: readonly StateKey[];
  readonly registrations: readonly Insertable<NamespaceRegistrationTable>[];
  /** 24 bytes each, without repeats. */
  readonly beneficiaryAddresses: readonly Buffer[];
  readonly hasImportanceBlock: boolean;
  readonly spent: DecodingTimes;
}

/** Where the time went, in ms. */
export interface DecodingTimes {
  /** Reading bytes and checking them. */
  readonly verify: number;
  /** Rows, documents, lists. */
  readonly render: number;
  /** Bytes for the database. */
  readonly encode: number;
}

const ROOT_BYTES = 32;

/**
 * Checks blocks and makes of them what is written.
 * @throws BlockRefusedError naming the block and the field that does not hold
 */
export function decodeChunk({ parent, blocks }: Chunk, options: DecodeOptions): DecodedChunk {
  const startedAt = performance.now();
  const verified = verifyAll(parent, blocks, options);
  const verifiedAt = performance.now();
  const rows = emptyRows();
  const stateKeys = new StateKeySet();
  let end = parent;
  for (const block of verified) {
    const { height, hash, timestamp } = block;
    end = { height, hash, timestamp, score: scoreBehind(end, block) };
    addBlock(rows, block, end.score);
    stateKeys.addAll(touchedKeys(block, options));
  }
  const lists = packLists(byList(collectionEntries(rows)));
  const renderedAt = performance.now();
  const tables = encodeRows(rows, options.writesRaw ? [] : ["raw_blocks"]);
  const encodedAt = performance.now();
  return {
    end,
    blocks: verified.length,
    transactions: verified.reduce((sum, { transactions }) => sum + transactions.length, 0),
    tables,
    lists,
    stateKeys: [...stateKeys],
    registrations: verified.flatMap(registrationRows),
    beneficiaryAddresses: distinct(verified.map(({ beneficiaryAddress }) => beneficiaryAddress)),
    hasImportanceBlock: verified.some(isImportanceBlock),
    spent: { verify: verifiedAt - startedAt, render: renderedAt - verifiedAt, encode: encodedAt - renderedAt },
  };
}

function verifyAll(parent: ChainEnd, blocks: readonly SourceBlock[], options: DecodeOptions): VerifiedBlock[] {
  let previous: { readonly height: number; readonly hash: Buffer; readonly timestamp: number } = parent;
  return blocks.map(({ bytes, statement, subCacheMerkleRoots }) => {
    const block = verifyBlock({
      bytes,
      statementBytes: statement,
      subCacheMerkleRoots: splitRoots(subCacheMerkleRoots),
      network: options.network,
      ...(previous.height > 0 && { previous }),
      checkSignatures: options.checkSignatures,
      unhashedBytes: "clear",
    });
    if (block.height !== previous.height + 1) {
      throw new BlockRefusedError(previous.height + 1, "height", `is ${block.height}`);
    }
    previous = block;
    return block;
  });
}

function splitRoots(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / ROOT_BYTES }, (_, index) =>
    bytes.subarray(index * ROOT_BYTES, (index + 1) * ROOT_BYTES),
  );
}

function distinct(addresses: readonly Buffer[]): Buffer[] {
  return [...new Map(addresses.map((address) => [address.toString("latin1"), address])).values()];
}
