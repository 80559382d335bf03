import { createHash } from "node:crypto";
import { PrivateKey } from "symbol-sdk";
import { KeyPair } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { metadataCompositeHash } from "../../catapult/state/composite-hash.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import {
  childNamespace,
  globalRestriction,
  hashLock,
  mosaicAlias,
  mosaicListing,
  operationRestriction,
  rootNamespace,
  secretLock,
  secretProof,
  sha3,
} from "../devnet/state-descriptors.js";
import { transfer } from "../devnet/state-test-chain.js";
import { metalParts } from "./metal-chunks.js";
import { formatMetalId } from "./metal-id.js";
import { namespaceIdOf } from "./namespace-ids.js";
import { type Descriptor, type Party, TransactionMaker } from "./transaction-maker.js";

/** Number of entries in each list, so that lists have several pages. */
const MANY = 12;
const PARTIES = 25;
const RULE_KEY = 0x1111n;
const NONE = 0xffff_ffff_ffff_ffffn;

/** The accounts and entries on the chain. */
export interface StateScenario {
  /** The creator of mosaics and metadata; the owner of most namespaces; the recipient of the secret locks. */
  readonly alice: DevnetAccount;
  readonly bob: DevnetAccount;
  readonly carol: DevnetAccount;
  /** Accounts without funds: all have some of the first mosaic, the n-th n + 1; the first twelve have restrictions. */
  readonly parties: readonly Party[];
  /** Of alice, restrictable; `alice.coin` is an alias of the first one. */
  readonly mosaicIds: readonly bigint[];
  /** Proof of the secret lock that was used; the others are open. */
  readonly usedProof: string;
  /** Cosignatories of `top` are `middle` and another; those of `middle` are the leaves. */
  readonly multisig: { readonly top: Party; readonly middle: Party; readonly leaves: readonly Party[] };
  /** A file in alice's metadata. */
  readonly metal: { readonly id: string; readonly file: Buffer; readonly text: string };
}

/**
 * Creates a dozen or more of every kind of state on a devnet that creates blocks on request, in a few blocks.
 * @throws Error naming a transaction that was rejected
 */
export async function writeStateScenario(devnet: Devnet): Promise<StateScenario> {
  const [alice, bob, carol] = devnet.accounts as [DevnetAccount, DevnetAccount, DevnetAccount];
  const parties = Array.from({ length: PARTIES }, (_, index) => partyOf(`party ${index}`, devnet));
  const chain = new ScenarioChain(devnet);
  const mosaicIds = Array.from({ length: MANY }, (_, nonce) => generateMosaicId(alice.address, nonce));
  const [coin] = mosaicIds as [bigint];

  await chain.mine(
    chain.aggregate(
      alice,
      mosaicIds.flatMap(mosaicDescriptors).map((one) => [alice, one]),
    ),
    chain.aggregate(
      bob,
      rootDescriptors().map((one) => [bob, one]),
    ),
    chain.aggregate(alice, [
      [alice, rootNamespace("alice")],
      [alice, childNamespace("alice", "coin")],
    ]),
  );

  const file = Buffer.from("What stands on a chain stays.\n".repeat(90));
  const text = JSON.stringify(["seal1", file.length, "text/plain", "words.txt"]);
  const parts = metalParts(file, text);
  await chain.mine(
    chain.aggregate(
      alice,
      parties.map(({ address }, index) => [alice, transfer(address, [[coin, BigInt(index + 1)]])]),
    ),
    chain.aggregate(alice, [
      [alice, mosaicAlias("alice.coin", coin, "link")],
      ...mosaicIds.map((id, key): Signed => [alice, mosaicMetadata(alice, id, BigInt(key), `of mosaic ${key}`)]),
      [alice, namespaceMetadata(alice, namespaceIdOf("alice"), 7n, "of a namespace")],
      ...parts.map(({ key, value }): Signed => [alice, accountMetadata(alice, key, value)]),
    ]),
    chain.aggregate(bob, [
      [bob, addressAlias("root0", alice)],
      [bob, addressAlias("root1.child", alice)],
      [bob, addressAlias("root2.child.grandchild", carol)],
    ]),
  );

  const usedProof = "proof 0";
  const recipientAddress = bytes(carol.address);
  const mosaic = { mosaicId: devnet.currencyMosaicId, amount: 10n };
  // The account that pays for an aggregate must take part in it.
  const payer: Signed = [alice, transfer(alice.address, [[devnet.currencyMosaicId, 1n]])];
  const [top, middle, other, ...leaves] = parties.slice(20) as [Party, Party, Party, ...Party[]];
  await chain.mine(
    chain.aggregate(
      bob,
      Array.from({ length: MANY }, (_, index) => [bob, lockOf(devnet, `aggregate ${index}`)]),
    ),
    chain.aggregate(
      bob,
      Array.from({ length: MANY }, (_, index) => [bob, secretLock(`proof ${index}`, { recipientAddress, mosaic })]),
    ),
    chain.aggregate(
      alice,
      [payer, ...parties.slice(0, MANY).map((party, index): Signed => [party, accountRestriction(index, alice, coin)])],
      parties.slice(0, MANY),
    ),
    chain.aggregate(alice, [
      ...mosaicIds.map(
        (id): Signed => [alice, globalRestriction(RULE_KEY, { mosaicId: id, newRestrictionType: "ge" })],
      ),
      ...parties.slice(0, MANY).map((party): Signed => [alice, restrictionValue(mosaicIds[1] as bigint, party)]),
    ]),
    chain.aggregate(
      alice,
      [payer, [top, multisigModification([middle, other])], [middle, multisigModification(leaves)]],
      [top, middle, other, ...leaves],
    ),
  );
  await chain.mine(chain.aggregate(carol, [[carol, { ...secretProof(usedProof), recipientAddress }]]));

  const first = metadataCompositeHash({
    sourceAddress: alice.address,
    targetAddress: alice.address,
    scopedMetadataKey: parts[0]?.key ?? 0n,
    targetId: 0n,
    metadataType: 0,
  });
  const metal = { id: formatMetalId(first), file, text };
  return { alice, bob, carol, parties, mosaicIds, usedProof, multisig: { top, middle, leaves }, metal };
}

type Signed = readonly [signer: Party, descriptor: Descriptor];

/** A devnet to which aggregates are announced, block by block. */
class ScenarioChain {
  readonly #devnet: Devnet;
  readonly #make: TransactionMaker;

  constructor(devnet: Devnet) {
    this.#devnet = devnet;
    this.#make = new TransactionMaker(devnet);
  }

  aggregate(signer: Party, embedded: readonly Signed[], cosigners: readonly Party[] = []): Buffer {
    const transactions = embedded.map(([party, descriptor]) => this.#make.embedded(party, descriptor));
    return this.#make.aggregate({ signer, embedded: transactions, cosigners });
  }

  async mine(...payloads: readonly Buffer[]): Promise<void> {
    for (const payload of payloads) this.#devnet.announce(payload);
    await this.#devnet.harvest(1);
    const rejected = payloads.filter((payload) => !this.#devnet.isConfirmed(this.#make.hashOf(payload)));
    if (rejected.length === 0) return;
    const reasons = this.#devnet.rejections.slice(-rejected.length).map(({ name }) => name);
    throw new Error(`${rejected.length} of ${payloads.length} transactions were rejected: ${reasons.join(", ")}`);
  }
}

/** The account of this name: always the same. */
function partyOf(name: string, { network }: Devnet): Party {
  const privateKey = createHash("sha256").update(name).digest();
  const publicKey = Buffer.from(new KeyPair(new PrivateKey(new Uint8Array(privateKey))).publicKey.bytes);
  return { publicKey, privateKey, address: addressOfPublicKey(publicKey, network.identifier) };
}

const bytes = (buffer: Buffer) => new Uint8Array(buffer);

/** A mosaic of its creator with a thousand units for each number up to that of the nonce: all flags are set. */
export function mosaicDescriptors(id: bigint, nonce: number): Descriptor[] {
  const flags = "supply_mutable transferable restrictable revokable";
  return [
    { type: "mosaic_definition_transaction_v1", nonce, id, divisibility: nonce % 7, flags, duration: 0n },
    { type: "mosaic_supply_change_transaction_v1", mosaicId: id, delta: 1000n * BigInt(nonce + 1), action: "increase" },
  ];
}

function rootDescriptors(): Descriptor[] {
  return Array.from({ length: MANY }, (_, index) => [
    rootNamespace(`root${index}`),
    childNamespace(`root${index}`, "child"),
    ...(index < 3 ? [childNamespace(`root${index}.child`, "grandchild")] : []),
  ]).flat();
}

function addressAlias(name: string, { address }: Party): Descriptor {
  const namespaceId = namespaceIdOf(name);
  return { type: "address_alias_transaction_v1", namespaceId, address: bytes(address), aliasAction: "link" };
}

function metadataFields({ address }: Party, scopedMetadataKey: bigint, value: Buffer | string) {
  const valueSizeDelta = Buffer.byteLength(value);
  const content = typeof value === "string" ? value : bytes(value);
  return { targetAddress: bytes(address), scopedMetadataKey, valueSizeDelta, value: content };
}

/** Metadata of an account by itself. */
export function accountMetadata(target: Party, key: bigint, value: Buffer): Descriptor {
  return { type: "account_metadata_transaction_v1", ...metadataFields(target, key, value) };
}

/** An entry of metadata of a mosaic, by its owner. */
export function mosaicMetadata(owner: Party, targetMosaicId: bigint, key: bigint, value: string): Descriptor {
  return { type: "mosaic_metadata_transaction_v1", targetMosaicId, ...metadataFields(owner, key, value) };
}

function namespaceMetadata(owner: Party, targetNamespaceId: bigint, key: bigint, value: string): Descriptor {
  return { type: "namespace_metadata_transaction_v1", targetNamespaceId, ...metadataFields(owner, key, value) };
}

function lockOf(devnet: Devnet, name: string): Descriptor {
  const { currencyMosaicId: mosaicId, rules } = devnet;
  return { ...hashLock({ mosaicId, amount: rules.lockedFundsPerAggregate }), hash: sha3(name) };
}

/** Three kinds in turn: addresses, mosaics, transaction types. */
function accountRestriction(index: number, friend: Party, mosaicId: bigint): Descriptor {
  if (index % 3 === 0) {
    return {
      type: "account_address_restriction_transaction_v1",
      restrictionFlags: index % 2 === 0 ? "address block" : "address outgoing block",
      restrictionAdditions: [bytes(friend.address)],
      restrictionDeletions: [],
    };
  }
  return index % 3 === 1
    ? mosaicListing(["mosaic_id", "block"], [mosaicId])
    : operationRestriction(["transaction_type", "outgoing", "block"], ["transfer"]);
}

function restrictionValue(mosaicId: bigint, { address }: Party): Descriptor {
  return {
    type: "mosaic_address_restriction_transaction_v1",
    mosaicId,
    restrictionKey: RULE_KEY,
    previousRestrictionValue: NONE,
    newRestrictionValue: 1n,
    targetAddress: bytes(address),
  };
}

/** All cosignatories but n have to sign. */
function multisigModification(cosignatories: readonly Party[]): Descriptor {
  return {
    type: "multisig_account_modification_transaction_v1",
    minApprovalDelta: cosignatories.length,
    minRemovalDelta: 1,
    addressAdditions: cosignatories.map(({ address }) => bytes(address)),
    addressDeletions: [],
  };
}
