import { createHash } from "node:crypto";
import type { models } from "symbol-sdk/symbol";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import type { ExecutableTransaction } from "../../ledger/rules/notifications.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import {
  account,
  addressOf,
  CURRENCY,
  type Descriptor,
  mosaicOf,
  type TestChain,
  transfer,
} from "./state-test-chain.js";

/** Descriptors of transactions, one function per type; accounts are given by their names. */
export function vrfLink(key: string, linkAction: string): Descriptor {
  return { type: "vrf_key_link_transaction_v1", linkedPublicKey: Uint8Array.from(account(key).publicKey), linkAction };
}

export function nodeLink(key: string, linkAction: string): Descriptor {
  return { ...vrfLink(key, linkAction), type: "node_key_link_transaction_v1" };
}

export function accountLink(key: string, linkAction: string): Descriptor {
  return { ...vrfLink(key, linkAction), type: "account_key_link_transaction_v1" };
}

export function votingLink(startEpoch: number, endEpoch: number): Descriptor {
  return { ...vrfLink(`voting ${startEpoch}`, "link"), type: "voting_key_link_transaction_v1", startEpoch, endEpoch };
}

export function revocation(mosaicId: bigint): Descriptor {
  return {
    type: "mosaic_supply_revocation_transaction_v1",
    sourceAddress: addressOf("bob"),
    mosaic: { mosaicId, amount: 1n },
  };
}

export function rootNamespace(name: string, duration = 1000n): Descriptor {
  return {
    type: "namespace_registration_transaction_v1",
    registrationType: "root",
    duration,
    name,
    id: generateNamespaceId(name),
  };
}

export function childNamespace(parent: string, name: string): Descriptor {
  const parentId = namespaceIdOf(parent);
  return {
    type: "namespace_registration_transaction_v1",
    registrationType: "child",
    parentId,
    name,
    id: generateNamespaceId(name, parentId),
  };
}

export function addressAlias(name: string, target: string, aliasAction: string): Descriptor {
  const id = namespaceIdOf(name);
  return { type: "address_alias_transaction_v1", namespaceId: id, address: addressOf(target), aliasAction };
}

export function mosaicAlias(name: string, mosaicId: bigint, aliasAction: string): Descriptor {
  return { type: "mosaic_alias_transaction_v1", namespaceId: namespaceIdOf(name), mosaicId, aliasAction };
}

export function hashLock({ mosaicId = CURRENCY, amount = 10_000_000n, duration = 100n }): Descriptor {
  return { type: "hash_lock_transaction_v1", mosaic: { mosaicId, amount }, duration, hash: new Uint8Array(32).fill(1) };
}

/** A bonded aggregate without cosignatures. */
export function bonded(chain: TestChain): ExecutableTransaction {
  const transactions = [chain.embedded("alice", transfer("bob"))];
  return chain.aggregate("alice", transactions, [], { type: "aggregate_bonded_transaction_v2" });
}

export function secretLock(secret: string, change: Record<string, unknown> = {}): Descriptor {
  return {
    type: "secret_lock_transaction_v1",
    recipientAddress: addressOf("bob"),
    secret: sha3(secret),
    mosaic: { mosaicId: CURRENCY, amount: 10n },
    duration: 100n,
    hashAlgorithm: "sha3_256",
    ...change,
  };
}

export function secretProof(proof: string): Descriptor {
  return {
    type: "secret_proof_transaction_v1",
    recipientAddress: addressOf("bob"),
    secret: sha3(proof),
    hashAlgorithm: "sha3_256",
    proof: Buffer.from(proof),
  };
}

export function metadata(target: string, value: string): Descriptor {
  return {
    type: "account_metadata_transaction_v1",
    targetAddress: addressOf(target),
    scopedMetadataKey: 1n,
    valueSizeDelta: value.length,
    value,
  };
}

/** An aggregate that changes a multisig account; the first of `signers` signs it, the others cosign. */
export function modify(
  chain: TestChain,
  multisig: string,
  additions: readonly string[],
  deletions: readonly string[],
  minApprovalDelta: number,
  minRemovalDelta: number,
  [signer = multisig, ...cosigners]: readonly string[] = [],
): ExecutableTransaction {
  const change = multisigChange(additions, deletions, minApprovalDelta, minRemovalDelta);
  return chain.aggregate(signer, [chain.embedded(multisig, change)], cosigners);
}

export function multisigChange(
  additions: readonly string[],
  deletions: readonly string[],
  minApprovalDelta: number,
  minRemovalDelta: number,
): Descriptor {
  const type = "multisig_account_modification_transaction_v1";
  const addresses = { addressAdditions: additions.map(addressOf), addressDeletions: deletions.map(addressOf) };
  return { type, minApprovalDelta, minRemovalDelta, ...addresses };
}

export function addressRestriction(
  flags: readonly string[],
  additions: readonly string[],
  deletions: readonly string[] = [],
) {
  return {
    type: "account_address_restriction_transaction_v1",
    restrictionFlags: flags.join(" "),
    restrictionAdditions: additions.map(addressOf),
    restrictionDeletions: deletions.map(addressOf),
  };
}

export function mosaicListing(flags: readonly string[], restrictionAdditions: readonly bigint[]): Descriptor {
  const type = "account_mosaic_restriction_transaction_v1";
  return { type, restrictionFlags: flags.join(" "), restrictionAdditions, restrictionDeletions: [] };
}

export function operationRestriction(
  flags: readonly string[],
  restrictionAdditions: readonly (string | number)[],
): Descriptor {
  const type = "account_operation_restriction_transaction_v1";
  return { type, restrictionFlags: flags.join(" "), restrictionAdditions, restrictionDeletions: [] };
}

export function globalRestriction(restrictionKey: bigint, change: Record<string, unknown> = {}): Descriptor {
  return {
    type: "mosaic_global_restriction_transaction_v1",
    mosaicId: mosaicOf("alice", 4),
    referenceMosaicId: 0n,
    restrictionKey,
    previousRestrictionValue: 0n,
    previousRestrictionType: "none",
    newRestrictionValue: 1n,
    newRestrictionType: "eq",
    ...change,
  };
}

export function addressValue(target: string, restrictionKey: bigint): Descriptor {
  return {
    type: "mosaic_address_restriction_transaction_v1",
    mosaicId: mosaicOf("alice", 4),
    restrictionKey,
    previousRestrictionValue: 0xffff_ffff_ffff_ffffn,
    newRestrictionValue: 1n,
    targetAddress: addressOf(target),
  };
}

export function sha3(text: string): Uint8Array {
  return Uint8Array.from(createHash("sha3-256").update(text).digest());
}

export function setId(entity: models.Transaction, id: models.MosaicId | models.NamespaceId): void {
  Object.assign(entity, { id });
}
