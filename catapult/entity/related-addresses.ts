import { addressOfPublicKey } from "./address.js";
import type { RentalFeeSinks } from "./model.js";
import type { EmbeddedEntity } from "./transaction-entity.js";

const LINK = 1;

/** Addresses without repeats, ascending as bytes. */
export function uniqueAddresses(addresses: readonly Uint8Array[]): Buffer[] {
  const byText = new Map<string, Buffer>();
  for (const bytes of addresses) {
    const address = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    byText.set(address.toString("latin1"), address);
  }
  const unique = [...byText.values()];
  return unique.length < 2 ? unique : unique.sort(Buffer.compare);
}

/**
 * The addresses (24 bytes, unresolved as written) that one transaction concerns, ascending, without repeats; of an aggregate
 * only its signer. Cosignatories are not among them unless an embedded transaction names them, as in the reference. `sinks`
 * are a network's setting: without them rental fee sinks are left out.
 */
export function relatedAddresses(
  entity: EmbeddedEntity,
  signerAddress: Buffer,
  network: number,
  sinks?: RentalFeeSinks,
): Buffer[] {
  return uniqueAddresses([signerAddress, ...othersOf(entity, network, sinks)]);
}

/**
 * Which addresses a transaction concerns besides its signer.
 * Source: the account notifications that catapult's transaction plugins raise (`model/TransactionUtils`, `plugins/txes`).
 * Types that are not here concern their signer only: aliases, restrictions, locks of hashes, proofs of secrets, supply
 * changes, and metadata of mosaics and namespaces; removed cosignatories are not concerned either.
 */
function othersOf(entity: EmbeddedEntity, network: number, sinks: RentalFeeSinks | undefined): readonly Buffer[] {
  switch (entity.kind) {
    case "transfer":
    case "secretLock":
      return [entity.recipientAddress];
    case "accountMetadata":
      return [entity.targetAddress];
    case "mosaicSupplyRevocation":
      return [entity.sourceAddress];
    case "multisigAccountModification":
      return entity.addressAdditions;
    case "accountKeyLink":
      return entity.linkAction === LINK ? [addressOfPublicKey(entity.linkedPublicKey, network)] : [];
    case "mosaicDefinition":
      return sinks ? [sinks.mosaic] : [];
    case "namespaceRegistration":
      return sinks ? [sinks.namespace] : [];
    default:
      return [];
  }
}
