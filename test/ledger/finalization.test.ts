import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { NodeResponseError } from "../../catapult/wire/errors.js";
import { decodeFinalizationProof, type FinalizationProof } from "../../catapult/wire/finalization.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";
import { FinalizationProofError, verifyFinalizationProof } from "../../ledger/finalization/verify-proof.js";
import { packVoters, unpackVoters, type VotingSet, votingSetAfter } from "../../ledger/finalization/voting-set.js";
import { parseNetworkConfig } from "../../ledger/state/network-config.js";
import { ChainRecording } from "../support/chain-recording.js";
import { describeRecorded } from "../support/recorded-chain.js";

const MAIN_RULES = "main-rules";

describeRecorded("finalization proofs of a real node", (chain) => {
  const read = (name: string) => readFileSync(chain.path(`resources/${name}.properties`), "utf8");
  const config = parseNetworkConfig(read("config-network"), read("config-inflation"));
  const sets = new Map<number, VotingSet>();
  const state = new ChainState(config);
  for (const { block } of chain.blocks()) {
    state.execute(decodeBlock(block, chain.network));
    const set = votingSetAfter(state.tables, config, state.height);
    if (set) sets.set(set.epoch, { ...set, voters: unpackVoters(packVoters(set.voters)) });
  }
  const proofs = chain
    .lines<{ epoch: number; proof: string }>("finalization-proofs.jsonl.gz")
    .map(({ epoch, proof }) => ({ epoch, bytes: Buffer.from(proof, "hex") }))
    .filter(({ epoch }) => sets.has(epoch));

  function verify(bytes: Buffer, set: VotingSet): void {
    verifyFinalizationProof(decodeFinalizationProof(bytes), set, config);
  }

  test("are valid for the voters of their epochs", () => {
    for (const { epoch, bytes } of proofs) expect(() => verify(bytes, sets.get(epoch)!)).not.toThrow();
    process.stderr.write(`finalization proofs: ${proofs.length} verified\n`);
    expect(proofs.length).toBeGreaterThan(10);
  });

  test("are invalid with any byte changed, except the upper bytes of stages, which nodes do not read", () => {
    const { epoch, bytes } = proofs.at(-1)!;
    const accepted: number[] = [];
    const unread: number[] = [];
    const stageOffset = 12;
    for (let group = 56; group < bytes.length; group += bytes.readUInt32LE(group)) {
      for (const upper of [1, 2, 3]) unread.push(group + stageOffset + upper);
    }
    for (let index = 0; index < bytes.length; ++index) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      try {
        verify(changed, sets.get(epoch)!);
        accepted.push(index);
      } catch (error) {
        if (!(error instanceof FinalizationProofError || error instanceof NodeResponseError)) throw error;
      }
    }
    expect(accepted).toEqual(unread);
    expect(unread.length).toBeGreaterThan(3);
    expect(bytes.length).toBeGreaterThan(300);
  });

  test("are invalid if the voters have less than 67 % of the weight", () => {
    const { epoch, bytes } = proofs.at(-1)!;
    const set = sets.get(epoch)!;
    const voting = set.voters.reduce((sum, { weight }) => sum + weight, 0n);
    const absent = (weight: bigint) => ({
      ...set,
      voters: [...set.voters, { publicKey: Buffer.alloc(32, 9), weight }],
    });
    // the threshold is rounded down
    const most = ((voting + 1n) * 10_000n - 1n) / 6_700n - voting;
    expect(() => verify(bytes, absent(most))).not.toThrow();
    expect(() => verify(bytes, absent(most + 1n))).toThrow("hash has prevotes of");
    expect(() => verify(bytes, { ...set, epoch: epoch + 1 })).toThrow("epoch is");
    expect(() => verify(bytes, { ...set, voters: [] })).toThrow("does not vote in this epoch");
  });
});

describe("finalization proofs of a node with the main network's rules", () => {
  expectProofs(new ChainRecording(MAIN_RULES), { valid: [2, 3, 4, 5, 6, 7, 8, 9], withEveryone: [2, 3, 4] });
});

describe("finalization proofs of a random walk beside a node", () => {
  // Those who do not count get most of their weight in epoch 5.
  expectProofs(new ChainRecording("walk"), { valid: [2, 3, 4, 5, 6, 7], withEveryone: [2, 3, 4, 5] });
});

/** @param withEveryone epochs whose proofs are valid although the excluded voters count */
function expectProofs(
  chain: ChainRecording,
  epochs: { readonly valid: number[]; readonly withEveryone: number[] },
): void {
  const { config } = chain;
  const everyone = { ...config, finalization: { ...config.finalization, ineligibleVoters: new Set<string>() } };

  test("are valid for the voters that are eligible, and from the epoch of the treasury reissuance on for no others", () => {
    const valid: number[] = [];
    const validWithEveryone: number[] = [];
    const proofs = chain.finalizationProofs();
    const state = new ChainState(config);
    for (const { decoded } of chain.blocks) {
      state.execute(decoded, (result) => matchesHeader(result, decoded.entity));
      const set = votingSetAfter(state.tables, config, state.height);
      const bytes = set && proofs.get(set.epoch);
      if (!bytes) continue;
      const proof = decodeFinalizationProof(bytes);
      if (isValid(proof, set)) valid.push(set.epoch);
      if (isValid(proof, votingSetAfter(state.tables, everyone, state.height)!)) validWithEveryone.push(set.epoch);
    }
    expect(valid).toEqual(epochs.valid);
    expect(validWithEveryone).toEqual(epochs.withEveryone);
  });

  function isValid(proof: FinalizationProof, set: VotingSet): boolean {
    try {
      verifyFinalizationProof(proof, set, config);
      return true;
    } catch (error) {
      if (error instanceof FinalizationProofError) return false;
      throw error;
    }
  }
}
