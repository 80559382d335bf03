import { isAliasAddress } from "../../catapult/address.js";
import type { BlockTransaction } from "../../catapult/model.js";
import { uniqueAddresses } from "../../catapult/related-addresses.js";
import type { Db } from "../../schema/db/database.js";
import type { AddressBook } from "./address-book.js";
import type { Change, PartialAdded, UnconfirmedAdded } from "./change.js";

/**
 * Whom additions concern (24 bytes each, ascending): everybody whom the transaction or the node names, aliases as written
 * and the accounts behind them; and of those that wait for cosignatures the cosigners, at any level, of who must sign.
 */
export async function concernedByChanges(
  db: Db,
  changes: readonly Change[],
  addressBook: AddressBook,
): Promise<Map<Change, Buffer[]>> {
  const added = changes.filter(
    (change): change is UnconfirmedAdded | PartialAdded =>
      change.kind === "unconfirmedAdded" || change.kind === "partialAdded",
  );
  const named = new Map(added.map((change) => [change, namedBy(change)]));
  const aliases = uniqueAddresses([...named.values()].flat().filter(isAliasAddress));
  const accounts = await addressBook.accountsBehind(db, aliases);
  const partial = added.filter(({ kind }) => kind === "partialAdded");
  const signers = uniqueAddresses(partial.flatMap(({ pending }) => signersOf(pending.transaction)));
  const cosigners = await addressBook.cosignersOf(db, signers);
  return new Map(
    added.map((change) => {
      const own = named.get(change) ?? [];
      const behind = own.flatMap((address) => accounts.get(address.toString("hex")) ?? []);
      const asked = change.kind === "partialAdded" ? signersOf(change.pending.transaction) : [];
      const cosigning = asked.flatMap((address) => cosigners.get(address.toString("hex")) ?? []);
      return [change, uniqueAddresses([...own, ...behind, ...cosigning])];
    }),
  );
}

function namedBy({ pending, addresses }: UnconfirmedAdded | PartialAdded): Buffer[] {
  return [...pending.transaction.relatedAddresses, ...addresses];
}

/** Who must sign an aggregate: the signer, and those of its embedded transactions. */
function signersOf({ signerAddress, embedded }: BlockTransaction): Buffer[] {
  return [signerAddress, ...embedded.map((inner) => inner.signerAddress)];
}
