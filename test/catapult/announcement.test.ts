import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  checkAnnouncedCosignature,
  checkAnnouncedTransaction,
  checkDeadline,
} from "../../catapult/announcement/announcement.js";
import { AnnouncementError } from "../../catapult/announcement/announcement-error.js";
import { derivePublicKey, signData } from "../../catapult/crypto/signature.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { transactionHash, transactionSigningBytes } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { Properties } from "../../catapult/network/properties.js";
import { publicNetworkNamed } from "../../catapult/network/public-networks.js";
import { type TransactionRules, transactionRules, UNLIMITED_RULES } from "../../catapult/network/transaction-rules.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { NETWORK, networkProperties, TestChain } from "../devnet/state-test-chain.js";
import { isRejected, RECORDING, RecordedPlay } from "../ledger/recorded-announcements.js";
import { ChainRecording } from "../support/chain-recording.js";
import { describeRecorded, describeVectors } from "../support/describe-chains.js";
import { DevnetFixture, signedAggregate, signedPayload } from "../support/devnet.js";
import { SeededRandom } from "../support/seeded-random.js";
import { dataPath } from "../support/test-data.js";
import { uncoveredInTransaction } from "../support/uncovered-bytes.js";

interface Surroundings {
  readonly network: NetworkIdentity;
  readonly rules: TransactionRules;
  /** Of the network's clock. */
  readonly now: number;
}

/** The reason why bytes must not be announced; undefined if there is none. */
function result(
  bytes: Buffer,
  { network, rules, now }: Surroundings,
  mode: "transaction" | "partial" = "transaction",
): AnnouncementError | undefined {
  try {
    checkDeadline(checkAnnouncedTransaction(bytes, { network, rules, mode }), now, rules);
    return undefined;
  } catch (error) {
    if (error instanceof AnnouncementError) return error;
    throw error;
  }
}

/** What the node checked before the deadline, by the number of the announcement; and what it never checked. */
const EXPECTED_DIFFERENCES: Readonly<Record<number, string>> = {
  486: "Failure_Core_Future_Deadline",
  1128: "Failure_Core_Past_Deadline",
};
/** Codes of the recording that are known without the state. */
const KNOWN_WITHOUT_STATE = 50;

test("announcements that a real node rejected have its code, as far as it can be known without the state, and all that its engine rejects without it", () => {
  const chain = new ChainRecording(RECORDING);
  const play = new RecordedPlay(chain.blocks.map(({ decoded }) => decoded));
  const state = new ChainState(chain.config);
  const properties = readFileSync(dataPath(`${RECORDING}/resources/config-network.properties`), "utf8");
  const rules = transactionRules(new Properties(properties), 2);
  const found = new Set<string | undefined>();
  for (const announcement of play.announcements.filter(isRejected)) {
    const { seq, code, payload, packet } = announcement;
    const bytes = Buffer.from(payload, "hex");
    const surroundings = { network: chain.network, rules, now: play.networkTime(announcement) };
    const error = result(bytes, surroundings, packet === "partial" ? "partial" : "transaction");
    if (error === undefined) {
      expect({ seq, code: state.checkStateless(decodeTransaction(bytes, chain.network)) }).toEqual({ seq });
      continue;
    }
    const expected = EXPECTED_DIFFERENCES[seq] ?? code;
    expect({ seq, problem: error.problem, code: error.code }).toEqual({ seq, problem: "impossible", code: expected });
    expect(error.message).toMatch(/^transaction\S*: .* \(Failure_\w+\)$/);
    found.add(error.code);
  }
  expect(found.size).toBe(KNOWN_WITHOUT_STATE);
});

describe("on a devnet", () => {
  let fixture: DevnetFixture;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let surroundings: Surroundings;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    [alice, bob] = [fixture.account("alice"), fixture.account("bob")];
    const { network, rules, resourcesDirectory } = fixture.devnet;
    surroundings = {
      network,
      rules: transactionRules(
        new Properties(readFileSync(`${resourcesDirectory}/config-network.properties`, "utf8")),
        fixture.devnet.height + 1,
      ),
      now: Date.now() - rules.epochAdjustment * 1000,
    };
  });

  afterAll(() => fixture.stop());

  const HOUR = 3600;
  const bonded = () =>
    signedAggregate(fixture.devnet, alice, { bonded: true, embedded: [{ signer: bob, fields: {} }] });

  test("bonded aggregates may be pending longer, and only they may lack cosignatures", () => {
    const { network, rules, now } = surroundings;
    const transfer = signedPayload(fixture.devnet, alice);
    expect(() => checkAnnouncedTransaction(transfer, { network, rules, mode: "partial" })).toThrow(/bonded/);
    const aggregate = checkAnnouncedTransaction(bonded(), { network, rules, mode: "partial" });
    const deadline = Number(aggregate.entity.deadline);
    expect(() => checkDeadline(aggregate, deadline - 47 * HOUR * 1000, rules)).not.toThrow();
    expect(() => checkDeadline(aggregate, deadline - 49 * HOUR * 1000, rules)).toThrow(
      /ahead of network time \d+.*Future_Deadline/,
    );
    expect(() => checkDeadline(aggregate, deadline + 1, rules)).toThrow(/Past_Deadline/);
    const without = { ...rules, aggregate: { ...rules.aggregate, areBondedAllowed: false } };
    expect(result(bonded(), { network, rules: without, now })?.message).toContain("does not allow");
  });

  test("if cosignatures must be exactly the required ones, others and missing ones are rejected", () => {
    const { network, rules, now } = surroundings;
    const strict = { network, rules: { ...rules, aggregate: { ...rules.aggregate, isStrict: true } }, now };
    const codeOf = (signers: readonly DevnetAccount[]) => {
      const embedded = signers.map((signer) => ({ signer, fields: {} }));
      const cosigners = signers.length > 1 ? [] : [bob];
      return result(signedAggregate(fixture.devnet, alice, { embedded, cosigners }), strict)?.code;
    };
    expect(codeOf([alice])).toBe("Failure_Aggregate_Ineligible_Cosignatories");
    expect(codeOf([alice, bob])).toBe("Failure_Aggregate_Missing_Cosignatures");
  });

  test.each([
    ["for the Symbol public main network", publicNetworkNamed("mainnet").generationHashSeed],
    ["for the Symbol public test network", publicNetworkNamed("testnet").generationHashSeed],
    ["with a generation hash seed of zeros", Buffer.alloc(32)],
    ["without a generation hash seed", Buffer.alloc(0)],
  ])("one that was signed %s: the error names the right seed", (mistake, generationHashSeed) => {
    const { network } = surroundings;
    const bytes = Buffer.from(signedPayload(fixture.devnet, alice));
    const signingBytes = transactionSigningBytes(bytes, { ...network, generationHashSeed });
    signData(alice.privateKey, signingBytes).copy(bytes, VERIFIABLE.signature);
    const error = result(bytes, surroundings);
    expect(error?.code).toBe("Failure_Consumer_Batch_Signature_Not_Verifiable");
    expect(error?.message).toContain(`is invalid: it was signed ${mistake}`);
    expect(error?.message).toContain(`the seed of this network is ${hex(network.generationHashSeed)}`);
  });

  test("a detached cosignature", () => {
    const parentHash = transactionHash(bonded(), surroundings.network);
    const signature = signData(bob.privateKey, parentHash);
    const cosignature = { version: 0n, signerPublicKey: bob.publicKey, signature, parentHash };
    const bytes = Buffer.concat([Buffer.alloc(8), bob.publicKey, signature, parentHash]);
    expect(checkAnnouncedCosignature(cosignature)).toEqual(bytes);
    for (const wrong of [{ version: 1n }, { signerPublicKey: alice.publicKey }, { parentHash: Buffer.alloc(32) }]) {
      expect(() => checkAnnouncedCosignature({ ...cosignature, ...wrong })).toThrow(AnnouncementError);
    }
  });

  test("a signature whose point is neutral is rejected before it is verified: nodes do not agree on it", () => {
    const { devnet } = fixture;
    const neutral = Buffer.alloc(64);
    neutral.writeUInt8(1, 0);
    for (const sign of [0, 0x80]) {
      neutral.writeUInt8(sign, 31);
      const transfer = signedPayload(devnet, alice);
      neutral.copy(transfer, VERIFIABLE.signature);
      const embedded = [alice, bob].map((signer) => ({ signer, fields: {} }));
      const aggregate = signedAggregate(devnet, alice, { embedded, cosigners: [bob] });
      neutral.copy(aggregate, aggregate.length - neutral.length);
      for (const bytes of [transfer, aggregate]) {
        expect(result(bytes, surroundings)).toMatchObject({
          problem: "impossible",
          message: expect.stringContaining("signature: has a neutral point"),
          code: "Failure_Consumer_Batch_Signature_Not_Verifiable",
        });
      }
      const cosignature = {
        version: 0n,
        signerPublicKey: bob.publicKey,
        signature: neutral,
        parentHash: alice.publicKey,
      };
      expect(() => checkAnnouncedCosignature(cosignature)).toThrow(AnnouncementError);
    }
  });

  test("bytes that are no transaction are malformed", () => {
    const payload = signedPayload(fixture.devnet, alice);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(4),
      Buffer.alloc(500),
      payload.subarray(0, -1),
      Buffer.concat([payload, Buffer.alloc(8)]),
      changed(payload, VERIFIABLE.type, 0x99),
      changed(payload, VERIFIABLE.size, 0),
    ])
      expect(result(bytes, surroundings)).toMatchObject({ problem: "malformed", code: undefined });
  });
});

describeRecorded("the recorded chain", (chain) => {
  const { network } = chain;
  const read = (name: string) => new Properties(readFileSync(chain.path(`resources/${name}`), "utf8"));
  const rules = transactionRules(read("config-network.properties"), 596);
  const transactions = chain.blocks().flatMap(({ block, height }) => {
    if (height === 1) return [];
    const { transactions: inBlock, timestamp } = decodeBlock(block, network);
    return inBlock.map(({ bytes }) => ({ bytes, now: timestamp }));
  });

  test("every transaction of it could be announced", () => {
    const rejected = transactions
      .map(({ bytes, now }) => result(bytes, { network, rules, now }))
      .filter((error) => error !== undefined);
    expect(rejected).toEqual([]);
    expect(transactions.length).toBeGreaterThan(1400);
  });

  test("a transaction changed anywhere is rejected, except in reserved bytes and padding that the node does not check", () => {
    const random = new SeededRandom();
    let unchecked = 0;
    for (let count = 0; count < 500; count += 1) {
      const { bytes, now } = transactions[random.below(transactions.length)]!;
      const cut = random.below(10) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
      const offset = random.below(cut.length);
      const wrong = cut.length === 0 ? cut : changed(cut, offset, random.below(256));
      const isUnchecked = cut === bytes && uncoveredInTransaction(bytes).includes(offset);
      const problem = result(wrong, { network, rules, now })?.problem;
      if (isUnchecked) expect(problem).toBeUndefined();
      else expect(problem).toMatch(/malformed|impossible/);
      unchecked += Number(isUnchecked);
    }
    expect(unchecked).toBeGreaterThan(0);
  });

  test("a transaction changed and signed again only gets rejections that a devnet gives without its state", () => {
    const random = new SeededRandom();
    const { state } = new TestChain([]);
    const own = transactionRules(new Properties(networkProperties()), 2);
    const privateKey = Buffer.alloc(32, 5);
    const seen = new Map<string, number>();
    for (let count = 0; count < 1000; count += 1) {
      const { bytes, now } = transactions[random.below(transactions.length)]!;
      const wrong = changed(bytes, 108 + random.below(bytes.length - 108), random.below(4));
      derivePublicKey(privateKey).copy(wrong, VERIFIABLE.signerPublicKey);
      signData(privateKey, transactionSigningBytes(wrong, NETWORK)).copy(wrong, VERIFIABLE.signature);
      const error = result(wrong, { network: NETWORK, rules: own, now });
      let ofNode: string | undefined;
      try {
        ofNode = state.checkStateless(decodeTransaction(wrong, NETWORK));
      } catch (cause) {
        if (!(cause instanceof EntityError)) throw cause;
        ofNode = "no transaction";
      }
      if (ofNode !== undefined)
        expect({ bytes: wrong.toString("hex"), ofNode, error }).not.toMatchObject({ error: undefined });
      seen.set(ofNode ?? "right", (seen.get(ofNode ?? "right") ?? 0) + 1);
    }
    expect(seen.size).toBeGreaterThan(5);
  });
});

describeVectors("the published vectors", "transactions", (vectors) => {
  test("all are transactions, although not all could ever be valid", () => {
    let count = 0;
    for (const { schema_name: schema, payload } of vectors) {
      if (schema.startsWith("Embedded")) continue;
      const bytes = Buffer.from(payload, "hex");
      const network = { identifier: bytes[VERIFIABLE.network]!, generationHashSeed: Buffer.alloc(32) };
      const error = result(bytes, { network, rules: UNLIMITED_RULES, now: 0 });
      expect({ schema, problem: error?.problem ?? "impossible", error }).toMatchObject({ problem: "impossible" });
      count += 1;
    }
    expect(count).toBeGreaterThan(90);
  });
});

/** The same bytes except one. */
function changed(payload: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(payload);
  copy[offset] = copy[offset] === value ? value ^ 0xff : value;
  return copy;
}
