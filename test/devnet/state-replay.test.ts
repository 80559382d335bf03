import { expect, test } from "@jest/globals";
import { StatusCode } from "../../catapult/announcement/status-code.js";
import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block } from "../../catapult/entity/model.js";
import { stateKeySize } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import { findProofKey, isProofValid, type ProofClaim } from "../../ledger/header/generation-rules.js";
import { describeRecorded } from "../support/describe-chains.js";
import { forgedVrfProof } from "../support/forged-vrf-proof.js";
import { recordedConfig } from "../support/known-networks.js";
import type { RecordedChain } from "../support/recorded-chain.js";
import { stateValue } from "../support/state-value.js";

interface ForkBlock {
  readonly height: number;
  readonly block: string;
  readonly statement: string;
}

interface Fork {
  readonly base: number;
  readonly tipAfter: number;
}

const STATUS_TOPIC = 0x73;
const DROP_MARKER = Buffer.from("B0B025EE8AD6205C", "hex");
const MILLISECONDS_AROUND_DROP = 2000;

/** Whether the state engine accepts a proof; undefined if it does not know the signer's public key. */
function acceptsProof(
  claim: Parameters<typeof findProofKey>[0] & Omit<ProofClaim, "key">,
  tables: ChainState["tables"],
  config: ChainState["config"],
): boolean | undefined {
  const key = findProofKey(claim, tables, config);
  return key && isProofValid({ ...claim, key });
}

describeRecorded("the state engine, fed with the recorded chain", (chain) => {
  const blocks = chain
    .blocks()
    .map(({ block, statement }) => ({ block: decodeBlock(block, chain.network), statement }));

  const config = recordedConfig(chain);

  function stateAtEnd(): ChainState {
    const state = new ChainState(config);
    for (const { block } of blocks) state.execute(block);
    return state;
  }

  test("accepts the generation hash proofs, and rejects forged ones from the fork height of strict VRF keys on", () => {
    const state = new ChainState(config);
    const strictFrom = 402;
    const strict = { ...config, forkHeights: { ...config.forkHeights, strictVrfPublicKeyCheck: strictFrom } };
    const forged: [number, boolean | undefined][] = [];
    let checked = 0;
    for (const [index, { block }] of blocks.entries()) {
      if (index > 0 && block.height % 20 === 2) {
        const parentGenerationHash = blocks[index - 1]!.block.generationHash;
        const { signerAddress, entity } = block;
        const proof = entity.generationHashProof;
        const claim = { height: block.height, signerAddress, proof, parentGenerationHash };
        const check = (one: typeof claim) => acceptsProof(one, state.tables, config);
        expect(check(claim)).toBe(true);
        const wrong = { ...claim, parentGenerationHash: Buffer.alloc(32) };
        expect(check(wrong)).toBe(false);
        // an account that never linked a VRF key
        const keyless = { height: block.height, signerAddress: blocks[0]!.block.signerAddress, parentGenerationHash };
        const forgery = forgedVrfProof(parentGenerationHash, Buffer.alloc(32), BigInt(block.height));
        forged.push([block.height, acceptsProof({ ...keyless, proof: forgery }, state.tables, strict)]);
        const unknown = { ...claim, signerAddress: Buffer.alloc(24) };
        expect(check(unknown)).toBeUndefined();
        ++checked;
      }
      state.execute(block);
    }
    expect(checked).toBe(30);
    expect(forged).toEqual(forged.map(([height]) => [height, height < strictFrom]));
  });

  test("answers every recorded state value and path", () => {
    const state = stateAtEnd();
    expect(state.subCacheMerkleRoots()).toEqual(chain.subCacheMerkleRoots());

    const values = chain.lines<{ kind: StateKind; key: string; value: string }>("states.jsonl.gz");
    const wrongValues = values.filter(
      ({ kind, key, value }) => !stateValue(state.tables, kind, hex(key))?.equals(hex(value)),
    );
    expect(wrongValues).toEqual([]);

    const paths = chain.lines<{ kind: StateKind; key: string; path: string }>("state-paths.jsonl.gz");
    const present = paths.filter(({ key }) => key !== "ABSENT");
    const wrongPaths = present.filter(
      ({ kind, key, path }) => !state.tables.statePath(kind, hex(key)).equals(hex(path)),
    );
    expect(wrongPaths).toEqual([]);
    process.stderr.write(`state engine: ${values.length} state values, ${present.length} paths as recorded\n`);
  });

  test("answers paths for absent keys that are similar to the recorded ones", () => {
    const state = stateAtEnd();
    const paths = chain.lines<{ kind: StateKind; key: string; path: string }>("state-paths.jsonl.gz");
    const absent = paths.filter(({ key }) => key === "ABSENT");
    expect(absent).toHaveLength(9);
    for (const { kind, path } of absent) {
      // the recorded keys are unknown, but those of other absent keys that branch off at the same place are the same
      const isLike = (index: number) => state.tables.statePath(kind, keyOf(kind, index)).equals(hex(path));
      expect([kind, Array.from({ length: 2000 }, (_, index) => index).some(isLike)]).toEqual([kind, true]);
    }
  });

  test("rolls back to any height, and reproduces the chain from there", () => {
    const state = stateAtEnd();
    for (const height of [595, 400, 99, 1, 0]) {
      state.rollbackTo(height);
      expect(state.height).toBe(height);
      if (height === 0) expect(Buffer.concat(state.subCacheMerkleRoots())).toEqual(Buffer.alloc(9 * 32));
      const next = blocks.slice(height, height + 60);
      const different = next.filter(({ block, statement }) => !isAsRecorded(block, statement, state.execute(block)));
      expect(different).toEqual([]);
    }
  });

  test("follows the recorded forks, and rejects the dropped transactions that the node rejected", () => {
    const state = stateAtEnd();
    const hashes = new Map(blocks.map(({ block }) => [block.height, block.hash.toString("hex")]));
    const transactions = new Map<number, Block["transactions"]>();
    const forks = chain.json<readonly Fork[]>("fork/forks.json");
    const outcomes: ReturnType<typeof outcomeOf>[] = [];
    let executed = 0;
    let dropped: Block["transactions"] = [];
    for (const line of chain.lines<ForkBlock>("fork/blocks.jsonl.gz")) {
      const block = decodeBlock(hex(line.block), chain.network);
      if (hashes.get(block.height) === block.hash.toString("hex")) continue;
      const isSwitch = block.height <= state.height;
      if (isSwitch) {
        dropped = Array.from({ length: state.height - block.height + 1 }, (_, index) => block.height + index).flatMap(
          (height) => transactions.get(height) ?? [],
        );
        state.rollbackTo(block.height - 1);
      }
      expect(hashes.get(block.height - 1)).toBe(block.previousHash.toString("hex"));
      expect(isAsRecorded(block, hex(line.statement), state.execute(block))).toBe(true);
      hashes.set(block.height, block.hash.toString("hex"));
      transactions.set(block.height, block.transactions);
      ++executed;
      const fork = forks.find(({ tipAfter }) => tipAfter === block.height);
      if (!fork || !dropped.length) continue;
      outcomes.push(outcomeOf(state, dropped, block.timestamp));
      dropped = [];
    }
    process.stderr.write(`state engine: ${executed} / ${executed} blocks of the forks\n`);
    expect(executed).toBe(419);
    expect(outcomes).toEqual(forks.map((fork) => recordedRejections(chain, fork)));
  });
});

function isAsRecorded(block: Block, statement: Buffer, executed: ExecutedBlock): boolean {
  return (
    executed.stateHash.equals(block.entity.stateHash) &&
    executed.receiptsHash.equals(block.entity.receiptsHash) &&
    merkleRoot(block.transactions.map(({ merkleComponentHash }) => merkleComponentHash)).equals(
      block.entity.transactionsHash,
    ) &&
    executed.statement.equals(statement)
  );
}

/** Rejections of dropped transactions on the new branch, by hash. */
function outcomeOf(state: ChainState, dropped: Block["transactions"], timestamp: number): ReadonlyMap<string, string> {
  const draft = state.startDryRun();
  const rejections = new Map<string, string>();
  for (const transaction of dropped) {
    if (state.isConfirmed(transaction.hash)) continue;
    const rejection = draft.add(transaction, timestamp);
    if (rejection) rejections.set(transaction.hash.toString("hex"), rejection);
  }
  return rejections;
}

/** The rejections that the node published at the time of a fork, except those of partial transactions. */
function recordedRejections(chain: RecordedChain, { base }: Fork): ReadonlyMap<string, string> {
  const names = new Map(Object.entries(StatusCode).map(([name, code]) => [code as number, name]));
  const messages = chain
    .lines<{ ms: number; frames: readonly string[] }>("fork/frames.jsonl.gz")
    .map(({ ms, frames }) => ({ ms, frames: frames.map(hex) }));
  const drop = messages.find(
    ({ frames }) => frames[0]?.equals(DROP_MARKER) && frames[1]?.readBigUInt64LE() === BigInt(base),
  );
  const rejections = messages
    .filter(({ ms, frames }) => frames[0]?.[0] === STATUS_TOPIC && Math.abs(ms - drop!.ms) < MILLISECONDS_AROUND_DROP)
    .map(({ frames }): [string, string] => [
      frames[1]!.subarray(0, 32).toString("hex"),
      names.get(frames[1]!.readUInt32LE(40)) ?? "unknown",
    ]);
  return new Map(rejections.filter(([, name]) => name !== "Failure_Extension_Partial_Transaction_Dependency_Removed"));
}

function keyOf(kind: StateKind, index: number): Buffer {
  const key = Buffer.alloc(stateKeySize(kind));
  key.writeUInt32LE(index);
  return key;
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
