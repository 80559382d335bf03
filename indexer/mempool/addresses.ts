import { isAliasAddress } from "../../catapult/entity/address.js";
import { uniqueAddresses } from "../../catapult/entity/related-addresses.js";
import type { Db } from "../../database/database.js";
import { cosignersOf, targetsOfAliases } from "./address-book.js";
import type {
  Change,
  NeverReported,
  PartialAdded,
  RejectedByGateway,
  RejectedByNode,
  UnconfirmedAdded,
} from "./change.js";

/** Changes that contain the addresses that they concern. */
type Addressed = UnconfirmedAdded | PartialAdded | RejectedByNode | RejectedByGateway | NeverReported;

/**
 * Addresses that changes concern (24 bytes each, ascending): all that the transaction or the node names, unresolved
 * aliases and their targets; and for partial transactions the cosigners, at any level, of all accounts that must
 * sign.
 */
export async function concernedByChanges(db: Db, changes: readonly Change[]): Promise<Map<Change, Buffer[]>> {
  const addressed = changes.filter((change): change is Addressed => "addresses" in change);
  const named = new Map(addressed.map((change) => [change, namedBy(change)]));
  const aliases = uniqueAddresses([...named.values()].flat().filter(isAliasAddress));
  const accounts = await targetsOfAliases(db, aliases);
  const signers = uniqueAddresses(addressed.flatMap(requiredSigners));
  const cosigners = await cosignersOf(db, signers);
  return new Map(
    addressed.map((change) => {
      const own = named.get(change) ?? [];
      const behind = own.flatMap((address) => accounts.get(address.toString("hex")) ?? []);
      const cosigning = requiredSigners(change).flatMap((address) => cosigners.get(address.toString("hex")) ?? []);
      return [change, uniqueAddresses([...own, ...behind, ...cosigning])];
    }),
  );
}

function namedBy(change: Addressed): readonly Buffer[] {
  return "pending" in change ? [...change.pending.transaction.relatedAddresses, ...change.addresses] : change.addresses;
}

/** Accounts that must sign: for a pending aggregate its signer, and those of its embedded transactions. */
function requiredSigners(change: Addressed): Buffer[] {
  if (change.kind !== "partialAdded") return [];
  const { signerAddress, embedded } = change.pending.transaction;
  return [signerAddress, ...embedded.map((inner) => inner.signerAddress)];
}
