import { sql } from "kysely";
import { ADDRESS_SIZE, isAliasAddress } from "../../catapult/entity/address.js";
import { uniqueAddresses } from "../../catapult/entity/related-addresses.js";
import type { Db } from "../../database/database.js";
import type { Change } from "./change.js";

/** Changes that contain the addresses that they concern. */
type Addressed = Extract<Change, { readonly addresses: readonly Buffer[] }>;

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
  const cosigners = await findCosigners(db, signers);
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

/**
 * The current targets of aliases, by the aliases as hex digits; those without one are omitted. From the table of
 * namespaces, or without indexed state from the newest resolution of an alias in a block.
 */
async function targetsOfAliases(db: Db, aliases: readonly Buffer[]): Promise<Map<string, Buffer>> {
  if (aliases.length === 0) return new Map();
  const { rows } = await sql<{ alias: Buffer; account: Buffer | null }>`
      select a.alias, coalesce(
        (select n.alias_address from namespaces n where n.namespace_id = a.namespace_id),
        (select substring(r.statement from s.position + s.size - ${ADDRESS_SIZE - 1} for ${ADDRESS_SIZE})
          from address_resolution_statements s join raw_blocks r on r.height = s.id >> 32
          where s.unresolved = a.alias order by s.id desc limit 1)) as account
      from unnest(${[...aliases]}::bytea[], ${aliases.map(namespaceKey)}::bytea[]) a (alias, namespace_id)`.execute(db);
  return new Map(rows.flatMap(({ alias, account }) => (account ? [[alias.toString("hex"), account] as const] : [])));
}

/** The cosigners of accounts, of their cosigners, and so on, by their addresses as hex digits; for multisig accounts only. */
async function findCosigners(db: Db, addresses: readonly Buffer[]): Promise<Map<string, Buffer[]>> {
  const found = new Map<string, Buffer[]>();
  if (addresses.length === 0) return found;
  const { rows } = await sql<{ address: Buffer; cosigner: Buffer }>`
      with recursive tree (address, cosigner) as (
        select m.address, c.cosigner
          from multisigs m, unnest(m.cosignatory_addresses) c (cosigner)
          where m.address = any(${[...addresses]}::bytea[])
        union
        select t.address, c.cosigner
          from tree t join multisigs m on m.address = t.cosigner, unnest(m.cosignatory_addresses) c (cosigner))
      select address, cosigner from tree`.execute(db);
  for (const { address, cosigner } of rows) {
    const key = address.toString("hex");
    const cosigners = found.get(key);
    if (cosigners) cosigners.push(cosigner);
    else found.set(key, [cosigner]);
  }
  return found;
}

/** The namespace id of an alias in the form of tables: 8 bytes, big-endian. */
function namespaceKey(alias: Buffer): Buffer {
  return Buffer.from(alias.subarray(1, 9)).reverse();
}
