import { type Kysely, sql } from "kysely";

const TABLES = `
  -- accounts
  create table accounts (
    id bytea primary key,
    address bytea not null unique,
    address_height int8 not null,
    value bytea not null,
    public_key bytea not null,
    account_type int2 not null,
    linked_public_key bytea,
    importance numeric(20,0) not null,
    importance_height int8 not null,
    history bytea
  );
  create index accounts_address_height on accounts (address_height);
  create index accounts_importance on accounts (address) where importance_height > 0;

  -- their balances
  create table account_balances (
    id bytea not null,
    mosaic_id bytea not null,
    amount numeric(20,0) not null,
    primary key (id, mosaic_id)
  );
  create index account_balances_amount on account_balances (mosaic_id, amount, id);
  create index account_balances_mosaic on account_balances (mosaic_id, id);

  -- how many accounts have at least so much, for ranks
  create table balance_histogram (
    mosaic_id bytea not null,
    bucket numeric(20,0) not null,
    count int8 not null,
    check (count > 0),
    primary key (mosaic_id, bucket)
  );

  -- mosaics
  create table mosaics (
    id bytea primary key,
    mosaic_id bytea not null unique,
    value bytea not null,
    owner_address bytea not null,
    supply numeric(20,0) not null,
    start_height int8 not null,
    end_height int8,
    flags int2 not null,
    divisibility int2 not null
  );
  create index mosaics_owner on mosaics (owner_address, id);

  -- namespaces as last registered
  create table namespaces (
    id bytea primary key,
    namespace_id bytea not null unique,
    level0 bytea not null,
    level1 bytea,
    level2 bytea,
    registration_type int2 not null,
    alias_type int2 not null,
    alias_mosaic_id bytea,
    alias_address bytea,
    owner_address bytea not null,
    start_height int8 not null,
    end_height int8,
    earlier_end_heights int8[] not null,
    value bytea
  );
  create index namespaces_alias_address on namespaces (alias_address) where alias_address is not null;
  create index namespaces_alias_mosaic on namespaces (alias_mosaic_id) where alias_mosaic_id is not null;
  create index namespaces_alias_type on namespaces (alias_type, id);
  create index namespaces_end on namespaces (end_height) where end_height is not null;
  create index namespaces_level0 on namespaces (level0, id);
  create index namespaces_owner on namespaces (owner_address, id);
  create index namespaces_registration_type on namespaces (registration_type, id);
  create index namespaces_types on namespaces (registration_type, alias_type, id);

  -- multisig accounts and their cosigners
  create table multisigs (
    id bytea primary key,
    address bytea not null unique,
    value bytea not null,
    min_approval int8 not null,
    min_removal int8 not null,
    cosignatory_addresses bytea[] not null,
    multisig_addresses bytea[] not null
  );

  -- metadata
  create table metadata (
    id bytea primary key,
    composite_hash bytea not null unique,
    value bytea not null,
    source_address bytea not null,
    target_address bytea not null,
    scoped_metadata_key bytea not null,
    target_id bytea not null,
    metadata_type int2 not null
  );
  create index metadata_key on metadata (scoped_metadata_key, id);
  create index metadata_source on metadata (source_address, id);
  create index metadata_target on metadata (target_address, source_address, id);
  create index metadata_target_address on metadata (target_address, id);
  create index metadata_target_id on metadata (target_id, id);
  create index metadata_type on metadata (metadata_type, id);

  -- hash locks
  create table hash_locks (
    id bytea primary key,
    hash bytea not null unique,
    value bytea not null,
    owner_address bytea not null,
    mosaic_id bytea not null,
    amount numeric(20,0) not null,
    end_height int8 not null,
    status int2 not null
  );
  create index hash_locks_end on hash_locks (end_height);
  create index hash_locks_owner on hash_locks (owner_address, id);

  -- secret locks
  create table secret_locks (
    id bytea primary key,
    composite_hash bytea not null unique,
    value bytea not null,
    owner_address bytea not null,
    mosaic_id bytea not null,
    amount numeric(20,0) not null,
    recipient_address bytea not null,
    secret bytea not null,
    end_height int8 not null,
    status int2 not null
  );
  create index secret_locks_end on secret_locks (end_height);
  create index secret_locks_owner on secret_locks (owner_address, id);
  create index secret_locks_secret on secret_locks (secret, id);

  -- restrictions of accounts: the flags of each value, and the value
  create table account_restrictions (
    id bytea primary key,
    address bytea not null unique,
    value bytea not null,
    restriction_flags int4[] not null,
    restricted_values bytea[] not null
  );

  -- restrictions of mosaics
  create table mosaic_restrictions (
    id bytea primary key,
    composite_hash bytea not null unique,
    value bytea not null,
    mosaic_id bytea not null,
    entry_type int2 not null,
    target_address bytea,
    restriction_keys numeric(20,0)[] not null,
    restriction_values numeric(20,0)[] not null,
    restriction_types int2[] not null,
    reference_mosaic_ids bytea[] not null
  );
  create index mosaic_restrictions_entry_type on mosaic_restrictions (entry_type, id);
  create index mosaic_restrictions_mosaic on mosaic_restrictions (mosaic_id, id);
  create index mosaic_restrictions_target on mosaic_restrictions (target_address, id) where target_address is not null;

  -- lengths of lists of state and of pending transactions
  create table counters (
    collection int2 not null,
    key bytea not null,
    count int8 not null,
    check (count > 0),
    primary key (collection, key)
  );

  -- counts of ranges of such lists, for deep pages
  create table list_buckets (
    collection int2 not null,
    key bytea not null,
    start bytea not null,
    count int8 not null,
    check (count > 0),
    primary key (collection, key, start)
  );

  -- former values of entries, for roll-backs
  create table replaced_states (
    height int8 not null,
    kind int2 not null,
    key bytea not null,
    value bytea,
    history bytea,
    primary key (height, kind, key)
  );

  -- entries that left the state but may come back
  create table hidden_states (
    kind int2 not null,
    key bytea not null,
    value bytea,
    history bytea not null,
    primary key (kind, key)
  );

  -- who votes in which epoch
  create table voting_sets (
    epoch int8 primary key,
    height int8 not null,
    voters bytea not null
  );
`;

/** The state at the newest block, and what is needed to continue from it and to go back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}
