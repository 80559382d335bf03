import { describe, expect, test } from "@jest/globals";
import { NodeResponseError } from "../../catapult/wire/errors.js";
import {
  decodeFinalizationProof,
  type FinalizationMessageGroup,
  type FinalizationProof,
} from "../../catapult/wire/finalization.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";
import { FinalizationProofError, verifyFinalizationProof } from "../../ledger/finalization/verify-proof.js";
import { packVoters, unpackVoters, type VotingSet, votingSetAfter } from "../../ledger/finalization/voting-set.js";
import { ChainRecording } from "../support/chain-recording.js";

const from2to = (last: number) => Array.from({ length: last - 1 }, (_, index) => index + 2);

/** The last epoch whose proofs are valid, and the last one for which they are although the excluded voters count. */
const RECORDINGS: readonly (readonly [of: string, folder: string, last: number, lastWithEveryone: number])[] = [
  ["a node with every type of transaction", ".", 16, 16],
  ["a node with the main network's rules", "main-rules", 9, 4],
  // Those who do not count get most of their weight in epoch 5.
  ["a random walk beside a node", "walk", 7, 5],
  ["four voters", "voters/finality-outside", 5, 5],
  ["four voters whose branches are not reconciled", "voters/split", 11, 6],
];

/** A proof of a recorded chain, with the voters of its epoch, and with those that there are if none is excluded. */
interface RecordedProof {
  readonly epoch: number;
  readonly bytes: Buffer;
  readonly set: VotingSet;
  readonly everyone: VotingSet;
}

/** The last proof of each epoch of a recorded chain, and those with more than a group for each stage. */
function recordedProofs(chain: ChainRecording): RecordedProof[] {
  const { config } = chain;
  const withEveryone = { ...config, finalization: { ...config.finalization, ineligibleVoters: new Set<string>() } };
  const isLarge = (bytes: Buffer) => decodeFinalizationProof(bytes).messageGroups.length > 2;
  const all = [
    ...chain.finalizationProofs().values(),
    ...chain
      .rounds()
      .map(({ proof }) => proof)
      .filter(isLarge),
  ];
  const state = new ChainState(config);
  const proofs: RecordedProof[] = [];
  for (const { decoded } of chain.blocks) {
    state.execute(decoded, (result) => matchesHeader(result, decoded.entity));
    const set = votingSetAfter(state.tables, config, state.height);
    if (!set) continue;
    const stored = { ...set, voters: unpackVoters(packVoters(set.voters)) };
    const everyone = votingSetAfter(state.tables, withEveryone, state.height)!;
    const ofEpoch = all.filter((bytes) => decodeFinalizationProof(bytes).epoch === set.epoch);
    proofs.push(...ofEpoch.map((bytes) => ({ epoch: set.epoch, bytes, set: stored, everyone })));
  }
  return proofs;
}

/** Why a proof is invalid; undefined if it is valid. */
function problemOf(bytes: Buffer, set: VotingSet, config: NetworkConfig): string | undefined {
  try {
    verifyFinalizationProof(decodeFinalizationProof(bytes), set, config);
    return undefined;
  } catch (error) {
    if (error instanceof FinalizationProofError || error instanceof NodeResponseError) return error.message;
    throw error;
  }
}

describe.each(RECORDINGS)("finalization proofs of %s", (_of, folder, last, lastWithEveryone) => {
  const chain = new ChainRecording(folder);
  const { config } = chain;
  const recorded = recordedProofs(chain);
  const isValid = (bytes: Buffer, set: VotingSet) => problemOf(bytes, set, config) === undefined;

  test("are valid for the voters that are eligible, and from the epoch of the treasury reissuance on for no others", () => {
    const epochsOf = (proofs: readonly RecordedProof[]) => [...new Set(proofs.map(({ epoch }) => epoch))];
    expect(epochsOf(recorded.filter(({ bytes, set }) => isValid(bytes, set)))).toEqual(from2to(last));
    expect(epochsOf(recorded.filter(({ bytes, everyone }) => isValid(bytes, everyone)))).toEqual(
      from2to(lastWithEveryone),
    );
  });

  test("are invalid with a bit of any field changed, except the upper bits of stages, which nodes do not read", () => {
    for (const { bytes, set } of recorded) {
      const fields = fieldsOf(bytes);
      expect(fields.at(-1)!.offset + 64).toBe(bytes.length);
      const accepted = fields.flatMap(({ name, offset, size }) =>
        (size > 8 ? [0] : [0, 8 * size - 1])
          .filter((bit) => {
            const changed = Buffer.from(bytes);
            changed[offset + (bit >> 3)]! ^= 1 << (bit & 7);
            return isValid(changed, set);
          })
          .map((bit) => `${name}, bit ${bit}`),
      );
      const stages = fields.filter(({ name }) => name === "stage");
      expect(stages.length).toBeGreaterThan(1);
      expect(accepted).toEqual(stages.map(() => "stage, bit 31"));
    }
  });

  test("are valid in whatever groups the votes come, of every voter once in each stage", () => {
    for (const { bytes, set } of recorded) {
      const proof = decodeFinalizationProof(bytes);
      const problemWith = (messageGroups: readonly FinalizationMessageGroup[]) =>
        problemOf(encodeProof({ ...proof, messageGroups }), set, config);
      const alone = proof.messageGroups.flatMap((group) =>
        group.signatures.map((one) => ({ ...group, signatures: [one] })),
      );
      for (const groups of [proof.messageGroups, alone, alone.toReversed()]) {
        expect(problemWith(groups)).toBeUndefined();
        for (const group of alone) expect(problemWith([...groups, group])).toMatch("is a second vote of the same key");
      }
    }
  });

  test("are valid with a part of the votes exactly if that has the share of the weight", () => {
    for (const { bytes, set } of recorded) {
      const proof = decodeFinalizationProof(bytes);
      for (const group of proof.messageGroups) {
        for (const signatures of subsetsOf(group.signatures)) {
          const messageGroups = proof.messageGroups.map((one) => (one === group ? { ...one, signatures } : one));
          const part = { ...proof, messageGroups };
          const weight = weightOf(part, set);
          // The threshold is rounded down: the most that others can have is one less than a whole unit more.
          const { threshold, size } = config.finalization;
          const max = weight === 0n ? 0n : ((weight + 1n) * size - 1n) / threshold;
          const total = set.voters.reduce((sum, voter) => sum + voter.weight, 0n);
          expect(isValid(encodeProof(part), set)).toBe(total <= max);
          // The product of a node wraps at 64 bits.
          if (total > max || (max + 1n) * threshold >= 2n ** 64n) continue;
          const absent = (more: bigint) => [...set.voters, { publicKey: Buffer.alloc(32, 9), weight: more - total }];
          expect(isValid(encodeProof(part), { ...set, voters: absent(max) })).toBe(true);
          expect(isValid(encodeProof(part), { ...set, voters: absent(max + 1n) })).toBe(false);
        }
      }
    }
  });

  test("are invalid for other epochs and voters", () => {
    for (const { bytes, set } of recorded) {
      expect(problemOf(bytes, { ...set, epoch: set.epoch + 1 }, config)).toMatch("epoch is");
      expect(problemOf(bytes, { ...set, voters: [] }, config)).toMatch("does not vote in this epoch");
    }
  });
});

/** The weight of the votes for the block of a proof, in the stage that has less. */
function weightOf({ hash, messageGroups }: FinalizationProof, { voters }: VotingSet): bigint {
  const weights = [0n, 0n];
  for (const { stage, hashes, signatures } of messageGroups) {
    if (!hashes.some((one) => one.equals(hash))) continue;
    for (const { root } of signatures) {
      weights[stage]! += voters.find(({ publicKey }) => publicKey.equals(root.parentPublicKey))!.weight;
    }
  }
  return weights[0]! < weights[1]! ? weights[0]! : weights[1]!;
}

function subsetsOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: 2 ** all.length }, (_, chosen) => all.filter((_, index) => (chosen >> index) & 1));
}

function encodeProof({ version, epoch, point, height, hash, messageGroups }: FinalizationProof): Buffer {
  const groups = messageGroups.map((group) => {
    const signatures = group.signatures.flatMap(({ root, bottom }) => [
      ...[root.parentPublicKey, root.signature],
      ...[bottom.parentPublicKey, bottom.signature],
    ]);
    const content = Buffer.concat([uint64(group.height), ...group.hashes, ...signatures]);
    return [uint32(16 + content.length, group.hashes.length, group.signatures.length, group.stage), content];
  });
  const content = Buffer.concat([uint32(version, epoch, point), uint64(BigInt(height)), hash, ...groups.flat()]);
  return Buffer.concat([uint32(4 + content.length), content]);
}

function uint32(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

function uint64(value: bigint): Buffer {
  return Buffer.from(BigUint64Array.of(value).buffer);
}

interface Field {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** Every field of a proof (catapult `model/FinalizationProof.h`). */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let offset = 0;
  const add = (name: string, size: number) => {
    fields.push({ name, offset, size });
    offset += size;
  };
  for (const name of ["size", "version", "epoch", "point"]) add(name, 4);
  add("height", 8);
  add("hash", 32);
  while (offset < bytes.length) {
    const [hashes, signatures] = [bytes.readUInt32LE(offset + 4), bytes.readUInt32LE(offset + 8)];
    for (const name of ["group size", "number of hashes", "number of signatures", "stage"]) add(name, 4);
    add("group height", 8);
    for (let index = 0; index < hashes; ++index) add("group hash", 32);
    for (let part = 0; part < 2 * signatures; ++part) {
      add("public key", 32);
      add("signature", 64);
    }
  }
  return fields;
}
