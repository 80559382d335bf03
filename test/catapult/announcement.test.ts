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
import { changed, REJECTION_WAYS, type RejectionScene, rejectionScene } from "../devnet/rejection-cases.js";
import { chainWithEverything, REJECTION_CASES } from "../devnet/state-rejection-cases.js";
import { NETWORK, networkProperties, signed } from "../devnet/state-test-chain.js";
import { describeRecorded, describeVectors } from "../support/describe-chains.js";
import { DevnetFixture, signedAggregate, signedPayload } from "../support/devnet.js";
import { SeededRandom } from "../support/seeded-random.js";
import { uncoveredInTransaction } from "../support/uncovered-bytes.js";

interface Surroundings {
  readonly network: NetworkIdentity;
  readonly rules: TransactionRules;
  /** Of the network's clock. */
  readonly now: number;
}

/** The reason why bytes must not be announced; undefined if there is none. */
function result(bytes: Buffer, { network, rules, now }: Surroundings): AnnouncementError | undefined {
  try {
    checkDeadline(checkAnnouncedTransaction(bytes, { network, rules }), now, rules);
    return undefined;
  } catch (error) {
    if (error instanceof AnnouncementError) return error;
    throw error;
  }
}

/** Failures that are known without the state, although nodes check them together with the state. */
const FOUND_EARLIER = [
  "Failure_Aggregate_V1_Prohibited",
  "Failure_Aggregate_V2_Prohibited",
  "Failure_Core_Future_Deadline",
  "Failure_Core_Invalid_Address",
  "Failure_Core_Past_Deadline",
  "Failure_LockHash_Invalid_Mosaic_Amount",
  "Failure_Mosaic_Invalid_Duration",
  "Failure_Namespace_Root_Name_Reserved",
  "Failure_RestrictionAccount_Modification_Count_Exceeded",
  "Failure_RestrictionAccount_Redundant_Modification",
];

const found = new Set<string | undefined>();

describe("failures that a node detects without its state are detected, under the same name:", () => {
  const chain = chainWithEverything();
  const rules = transactionRules(new Properties(networkProperties()), 2);

  test.each(REJECTION_CASES)("%s for %s", (rejection, _cause, build) => {
    const transaction = build(chain);
    const error = result(signed(transaction), { network: NETWORK, rules, now: chain.now });
    const ofNode = chain.state.checkStateless(transaction);
    if (ofNode !== undefined) expect(error?.code).toBe(ofNode);
    if (error === undefined) return;
    expect([error.problem, error.code]).toEqual(["impossible", rejection]);
    expect(error.message).toMatch(/^transaction\S*: .* \(Failure_\w+\)$/);
    expect([ofNode, ...FOUND_EARLIER]).toContain(rejection);
    found.add(error.code);
  });
});

describe("on a devnet", () => {
  let fixture: DevnetFixture;
  let scene: RejectionScene;
  let surroundings: Surroundings;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    scene = rejectionScene(fixture.devnet);
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

  /** These need the state. */
  const NEED_STATE = [
    "more than the signer has",
    "no money for the fee",
    "an unknown signer",
    "an unknown mosaic",
    "the nemesis account as signer",
    "a recipient name without an alias",
    "an aggregate with a cosigner that has no part in it",
    "an aggregate that lacks a signature",
    "an aggregate whose part cannot be paid",
  ];

  test.each(REJECTION_WAYS)("%s: %s", (cause, name, make) => {
    const error = result(make(scene), surroundings);
    expect([error?.problem, error?.code]).toEqual(NEED_STATE.includes(cause) ? [] : ["impossible", name]);
    found.add(error?.code);
  });

  const HOUR = 3600;
  const bonded = () =>
    signedAggregate(scene.devnet, scene.alice, { bonded: true, embedded: [{ signer: scene.bob, fields: {} }] });

  test("bonded aggregates may be pending longer, and only they may lack cosignatures", () => {
    const { network, rules, now } = surroundings;
    const transfer = signedPayload(scene.devnet, scene.alice);
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
    const of = (cause: string) => REJECTION_WAYS.find(([name]) => name === cause)?.[2](scene) as Buffer;
    for (const cause of [
      "an aggregate with a cosigner that has no part in it",
      "an aggregate that lacks a signature",
    ]) {
      const [, name] = REJECTION_WAYS.find(([one]) => one === cause) ?? [];
      expect(result(of(cause), strict)?.code).toBe(name);
    }
  });

  test.each([
    ["for the Symbol public main network", publicNetworkNamed("mainnet").generationHashSeed],
    ["for the Symbol public test network", publicNetworkNamed("testnet").generationHashSeed],
    ["with a generation hash seed of zeros", Buffer.alloc(32)],
    ["without a generation hash seed", Buffer.alloc(0)],
  ])("one that was signed %s: the error names the right seed", (mistake, generationHashSeed) => {
    const { network } = surroundings;
    const bytes = Buffer.from(signedPayload(scene.devnet, scene.alice));
    const signingBytes = transactionSigningBytes(bytes, { ...network, generationHashSeed });
    signData(scene.alice.privateKey, signingBytes).copy(bytes, VERIFIABLE.signature);
    const error = result(bytes, surroundings);
    expect(error?.code).toBe("Failure_Consumer_Batch_Signature_Not_Verifiable");
    expect(error?.message).toContain(`is invalid: it was signed ${mistake}`);
    expect(error?.message).toContain(`the seed of this network is ${hex(network.generationHashSeed)}`);
  });

  test("a detached cosignature", () => {
    const { bob, alice } = scene;
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
    const { alice, bob, devnet } = scene;
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
    const payload = signedPayload(scene.devnet, scene.alice);
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

  test("every failure that needs no state is detected", () => {
    const needState = new Set(
      `Aggregate_Ineligible_Cosignatories Aggregate_Missing_Cosignatures Core_Insufficient_Balance
      Core_Link_Already_Exists LockHash_Unknown_Hash LockSecret_Inactive_Secret Mosaic_Invalid_Divisibility
      Mosaic_Owner_Conflict Mosaic_Supply_Immutable Multisig_Operation_Prohibited_By_Account Namespace_Already_Exists
      RestrictionAccount_Address_Interaction_Prohibited RestrictionAccount_Mosaic_Transfer_Prohibited
      RestrictionAccount_Operation_Type_Prohibited RestrictionMosaic_Account_Unauthorized`
        .split(/\s+/)
        .map((name) => `Failure_${name}`),
    );
    const rejections = chain
      .lines<{ code?: string }>("announced.jsonl.gz")
      .flatMap(({ code }) => (code?.startsWith("Failure_") ? [code] : []));
    const stateless = [...new Set(rejections)].filter((code) => !needState.has(code));
    expect(stateless).toHaveLength(13);
    expect(stateless.filter((code) => !found.has(code))).toEqual([]);
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
    const { state } = chainWithEverything();
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
