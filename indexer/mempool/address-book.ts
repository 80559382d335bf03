import { sql } from "kysely";
import type { Db } from "../../database/database.js";

/** Who else is concerned, as far as the index knows: by addresses of 24 bytes, as hex digits. */
export interface AddressBook {
  /** The accounts that aliases stand for now; those that stand for none are left out. */
  accountsBehind(db: Db, aliases: readonly Buffer[]): Promise<Map<string, Buffer>>;
  /** The cosigners of accounts, of their cosigners, and so on; only of accounts that are multisig. */
  cosignersOf(db: Db, addresses: readonly Buffer[]): Promise<Map<string, Buffer[]>>;
}

/**
 * What the tables of namespaces and multisig entries say, and where no state is indexed, what the newest resolution of
 * an alias in a block said.
 */
export const indexedAddressBook: AddressBook = {
  async accountsBehind(db, aliases) {
    if (aliases.length === 0) return new Map();
    const { rows } = await sql<{ alias: Buffer; account: Buffer | null }>`
      select a.alias, coalesce(
        (select n.alias_address from namespaces n where n.namespace_id = a.namespace_id),
        (select decode(s.document::json -> 'statement' -> 'resolutionEntries' -> -1 ->> 'resolved', 'hex')
          from address_resolution_statements s where s.unresolved = a.alias order by s.id desc limit 1)) as account
      from unnest(${[...aliases]}::bytea[], ${aliases.map(namespaceKey)}::bytea[]) a (alias, namespace_id)`.execute(db);
    return new Map(rows.flatMap(({ alias, account }) => (account ? [[alias.toString("hex"), account] as const] : [])));
  },

  async cosignersOf(db, addresses) {
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
      found.set(key, [...(found.get(key) ?? []), cosigner]);
    }
    return found;
  },
};

/** The namespace id of an alias as tables have it: 8 bytes, big-endian. */
function namespaceKey(alias: Buffer): Buffer {
  return Buffer.from(alias.subarray(1, 9)).reverse();
}
