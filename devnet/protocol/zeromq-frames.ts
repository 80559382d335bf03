import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { withStatementAddresses } from "../../catapult/entity/statement-addresses.js";
import { BLOCK_TYPE } from "../../catapult/structs/type-names.js";
import type { StoredBlock } from "../chain/chain.js";
import type { FinalizedRound } from "../chain/finalization-proof.js";
import type { DevnetTransaction } from "../chain/transaction.js";
import type { Rejection } from "../pool/rejection.js";
import { uint32, uint64 } from "./payload.js";

/** One message: its topic, then its parts. */
export type Frames = readonly Buffer[];

const BLOCK_MARKER = Buffer.from("496ACA80E4D8F29F", "hex");
const DROP_BLOCKS_MARKER = Buffer.from("B0B025EE8AD6205C", "hex");
const FINALIZED_BLOCK_MARKER = Buffer.from("5479CE31A032484D", "hex");

/** Kinds of messages about transactions: a letter before the address in their topics. */
const TopicLetter = {
  confirmed: "a",
  unconfirmedAdded: "u",
  unconfirmedRemoved: "r",
  partialAdded: "p",
  partialRemoved: "q",
  cosignature: "c",
  status: "s",
} as const;

const NO_HASH = Buffer.alloc(32);
const NO_HEIGHT = 0;

/** A block, then each of its transactions for each address that it concerns, including resolved aliases. */
export function blockFrames(stored: StoredBlock, transactions: readonly DevnetTransaction[]): Frames[] {
  const { block, hash, generationHash, statement } = stored;
  const isNormal = block.readUInt16LE(VERIFIABLE.type) === BLOCK_TYPE.normal;
  const header = block.subarray(0, isNormal ? BLOCK.normalHeaderSize : BLOCK.importanceHeaderSize);
  const height = Number(block.readBigUInt64LE(BLOCK.height));
  const confirmed = withStatementAddresses(transactions, decodeStatement(statement)).flatMap((transaction) =>
    perAddress("confirmed", transaction, transactionParts(transaction, transaction.merkleComponentHash, height)),
  );
  return [[BLOCK_MARKER, header, hash, generationHash], ...confirmed];
}

/** All blocks above a height were dropped. */
export function dropBlocksFrames(height: number): Frames[] {
  return [[DROP_BLOCKS_MARKER, uint64(BigInt(height))]];
}

export function finalizedBlockFrames({ epoch, point, height, hash }: FinalizedRound): Frames[] {
  return [[FINALIZED_BLOCK_MARKER, Buffer.concat([uint32(epoch, point), uint64(BigInt(height)), hash])]];
}

export function unconfirmedAddedFrames(transaction: DevnetTransaction): Frames[] {
  const parts = transactionParts(transaction, transaction.merkleComponentHash, NO_HEIGHT);
  return perAddress("unconfirmedAdded", transaction, parts);
}

export function unconfirmedRemovedFrames(transaction: DevnetTransaction): Frames[] {
  return perAddress("unconfirmedRemoved", transaction, [transaction.hash]);
}

export function partialAddedFrames(aggregate: DevnetTransaction): Frames[] {
  return perAddress("partialAdded", aggregate, transactionParts(aggregate, NO_HASH, NO_HEIGHT));
}

export function partialRemovedFrames(aggregate: DevnetTransaction): Frames[] {
  return perAddress("partialRemoved", aggregate, [aggregate.hash]);
}

/** A cosignature (104 bytes) of a partial aggregate. */
export function cosignatureFrames(aggregate: DevnetTransaction, cosignature: Buffer): Frames[] {
  return perAddress("cosignature", aggregate, [Buffer.concat([cosignature, aggregate.hash])]);
}

export function statusFrames(rejection: Rejection): Frames[] {
  const { hash, deadline, code } = rejection;
  return perAddress("status", rejection, [Buffer.concat([hash, uint64(deadline), uint32(code)])]);
}

function transactionParts(
  { bytes, hash }: { bytes: Buffer; hash: Buffer },
  merkleComponentHash: Buffer,
  height: number,
): Buffer[] {
  return [bytes, hash, merkleComponentHash, uint64(BigInt(height))];
}

function perAddress(
  kind: keyof typeof TopicLetter,
  { relatedAddresses }: { relatedAddresses: readonly Buffer[] },
  parts: readonly Buffer[],
): Frames[] {
  const letter = Buffer.from(TopicLetter[kind]);
  return relatedAddresses.map((address) => [Buffer.concat([letter, address]), ...parts]);
}
