import { addressOfPublicKey } from "./address.js";
import type { RentalFeeSinks } from "./model.js";
import type { EmbeddedEntity } from "./transaction-entity.js";

const LINK = 1;

/** Addresses without duplicates, ascending as bytes. */
export function uniqueAddresses(addresses: readonly Buffer[]): Buffer[] {
  if (addresses.length === 2) return uniqueOfTwo(addresses[0]!, addresses[1]!);
  const byText = new Map<string, Buffer>();
  for (const address of addresses) byText.set(address.toString("latin1"), address);
  const unique = [...byText.values()];
  return unique.length < 2 ? unique : unique.sort(Buffer.compare);
}

/** A transfer's, which most transactions are. */
function uniqueOfTwo(left: Buffer, right: Buffer): Buffer[] {
  const order = Buffer.compare(left, right);
  if (order === 0) return [right];
  return order < 0 ? [left, right] : [right, left];
}

/**
 * The addresses (24 bytes, unresolved) that one transaction concerns, ascending, without duplicates; for an aggregate
 * only its signer. Cosignatories are included only if an embedded transaction names them, as in the reference.
 * `sinks` are a network's setting: without them rental fee sinks are omitted.
 */
export function relatedAddresses(
  entity: EmbeddedEntity,
  signerAddress: Buffer,
  network: number,
  sinks?: RentalFeeSinks,
): Buffer[] {
  return uniqueAddresses([signerAddress, ...findOtherAddresses(entity, network, sinks)]);
}

/**
 * The addresses that a transaction concerns besides its signer. Source: the account notifications raised by
 * catapult's transaction plugins (`model/TransactionUtils`, `plugins/txes`). Removed cosignatories are not concerned. A
 * kind that is not listed is a compile error.
 */
function findOtherAddresses(
  entity: EmbeddedEntity,
  network: number,
  sinks: RentalFeeSinks | undefined,
): readonly Buffer[] {
  switch (entity.kind) {
    case "transfer":
    case "secret_lock":
      return [entity.recipientAddress];
    case "account_metadata":
      return [entity.targetAddress];
    case "mosaic_supply_revocation":
      return [entity.sourceAddress];
    case "multisig_account_modification":
      return entity.addressAdditions;
    case "account_key_link":
      return entity.linkAction === LINK ? [addressOfPublicKey(entity.linkedPublicKey, network)] : [];
    case "mosaic_definition":
      return sinks ? [sinks.mosaic] : [];
    case "namespace_registration":
      return sinks ? [sinks.namespace] : [];
    case "node_key_link":
    case "vrf_key_link":
    case "voting_key_link":
    case "aggregate_complete":
    case "aggregate_bonded":
    case "hash_lock":
    case "secret_proof":
    case "mosaic_metadata":
    case "namespace_metadata":
    case "mosaic_supply_change":
    case "address_alias":
    case "mosaic_alias":
    case "account_address_restriction":
    case "account_mosaic_restriction":
    case "account_operation_restriction":
    case "mosaic_address_restriction":
    case "mosaic_global_restriction":
    case "unknown":
      return [];
  }
}
