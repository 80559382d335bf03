import { type Kysely, sql } from "kysely";

/**
 * A table without a primary key says `replica identity full`: no index of it is needed to find a row, which would cost
 * each step, and rows are deleted in roll-backs only. So all tables can be published (logical replication).
 */
const TABLES = `
  -- one row: where the index is
  create table head (
    id int2 primary key,
    height int8 not null,
    hash bytea not null,
    score numeric(39,0) not null,
    finalized_epoch int8 not null,
    finalized_point int8 not null,
    finalized_height int8 not null,
    finalized_hash bytea not null,
    event_sequence int8 not null,
    network_identifier int2,
    generation_hash_seed bytea,
    state_sequence int8 default 0 not null,
    epoch_adjustment int8,
    summed_height int4 default 0 not null,
    check (id = 1)
  );

  -- the bytes of blocks and statements, from which everything else can be built again
  create table raw_blocks (
    height int8 primary key,
    block bytea not null,
    statement bytea not null,
    sub_cache_merkle_roots bytea not null
  ) with (toast_tuple_target = 4000);
  alter table raw_blocks alter column block set storage external;
  alter table raw_blocks alter column statement set storage external;

  -- addresses, public keys and ids, and their numbers, which other tables have
  create table keys (
    id int4 primary key,
    height int4 not null,
    kind int2 not null,
    key bytea not null
  );
  create unique index keys_key on keys (key, kind);
  create index keys_ranges on keys using brin (height) with (autosummarize = on, pages_per_range = 32);

  -- one row a block
  create table blocks (
    "timestamp" int8 not null,
    fee_multiplier int8 not null,
    total_fee int8 not null,
    height int4 primary key,
    signer int4 not null,
    beneficiary int4 not null,
    harvester int4 not null,
    transactions_count int4 not null,
    total_transactions_count int4 not null,
    statements_count int4 not null,
    header_size int4 not null,
    difficulty numeric(20,0) not null,
    score numeric(39,0) not null,
    hash bytea not null,
    generation_hash bytea not null
  );
  create index blocks_activity on blocks ("timestamp") include (height, transactions_count, total_transactions_count, total_fee);
  create index blocks_beneficiary on blocks (beneficiary, height);
  create index blocks_harvester on blocks (harvester, height);
  create index blocks_hash on blocks using hash (hash);
  create index blocks_signer on blocks (signer, height);

  -- confirmed and embedded transactions: places in the bytes of their block
  create table transactions (
    id int8 primary key,
    deadline int8,
    signer int4 not null,
    recipient int4,
    type int4 not null,
    "position" int4 not null,
    size int4 not null,
    embedded_size int4 not null,
    hash bytea
  );
  create index transactions_hash on transactions using hash (hash);
  create index transactions_recipient on transactions (recipient, id) where recipient is not null;
  create index transactions_signer on transactions (signer, id);
  create index transactions_top on transactions (id) where (type & 1) = 0;
  create index transactions_type on transactions (type, id);

  -- which accounts a transaction concerns
  create table transaction_addresses (
    id int8 not null,
    account int4 not null,
    type int4 not null
  );
  alter table transaction_addresses replica identity full;
  create index transaction_addresses_account on transaction_addresses (account, id);
  create index transaction_addresses_ranges on transaction_addresses using brin (id) with (autosummarize = on);
  create index transaction_addresses_type on transaction_addresses (account, type, id);

  -- what transfers move
  create table transaction_mosaics (
    id int8 not null,
    amount int8 not null,
    mosaic int4 not null
  );
  alter table transaction_mosaics replica identity full;
  create index transaction_mosaics_amount on transaction_mosaics (mosaic, amount, id);
  create index transaction_mosaics_id on transaction_mosaics (id);
  create index transaction_mosaics_mosaic on transaction_mosaics (mosaic, id);

  -- places of statements with receipts
  create table transaction_statements (
    id int8 primary key,
    primary_id int4 not null,
    secondary_id int4 not null,
    "position" int4 not null,
    size int4 not null
  );

  -- their receipts
  create table receipts (
    statement_id int8 not null,
    amount int8,
    sender int4,
    recipient int4,
    target int4,
    artifact int4,
    type int4 not null
  );
  alter table receipts replica identity full;
  create index receipts_artifact on receipts (artifact, statement_id) where artifact is not null;
  create index receipts_ranges on receipts using brin (statement_id) with (autosummarize = on);
  create index receipts_recipient on receipts (recipient, statement_id) where recipient is not null;
  create index receipts_sender on receipts (sender, statement_id) where sender is not null;
  create index receipts_target on receipts (target, statement_id) where target is not null;
  create index receipts_type on receipts (type, statement_id);

  -- which addresses aliases stood for
  create table address_resolution_statements (
    id int8 primary key,
    unresolved bytea not null,
    "position" int4 not null,
    size int4 not null
  );
  create index address_resolution_statements_unresolved on address_resolution_statements (unresolved, id);

  -- which mosaics aliases stood for
  create table mosaic_resolution_statements (
    id int8 primary key,
    unresolved bytea not null,
    "position" int4 not null,
    size int4 not null
  );
  create index mosaic_resolution_statements_unresolved on mosaic_resolution_statements (unresolved, id);

  -- what each block did to the balances of accounts
  create table balance_changes (
    change int8 not null,
    received int8,
    mosaic int4 not null,
    account int4 not null,
    height int4 not null
  );
  alter table balance_changes replica identity full;
  create index balance_changes_holding on balance_changes (mosaic, account, height) include (change, received);
  create index balance_changes_ranges on balance_changes using brin (height) with (autosummarize = on, pages_per_range = 32);

  -- names of namespaces, with each registration
  create table namespace_registrations (
    id bytea primary key,
    namespace_id bytea not null,
    parent_id bytea,
    name text not null,
    duration numeric(20,0)
  );
  create index namespace_registrations_name on namespace_registrations (parent_id, name collate "C") include (namespace_id);
  create index namespace_registrations_namespace on namespace_registrations (namespace_id, id);

  -- blocks that votes have proven
  create table finalized_blocks (
    epoch int8 not null,
    point int8 not null,
    height int8 not null,
    hash bytea not null,
    primary key (epoch, point)
  );
  create index finalized_blocks_height on finalized_blocks (height);

  -- roll-backs, for events of blocks
  create table dropped_blocks (
    sequence int8 primary key,
    height int8 not null,
    hash bytea not null
  );
  create index dropped_blocks_heights on dropped_blocks (height, sequence);

  -- lengths of lists over the chain
  create table list_counters (
    list int8 primary key,
    count int8 not null,
    check (count > 0)
  );

  -- every hundredth or so entry of such a list, by which deep pages are found
  create table skip_pointers (
    list int8 not null,
    ordinal int8 not null,
    id int8 not null,
    primary key (list, ordinal)
  );
  create index skip_pointers_id on skip_pointers (list, id);
  create index skip_pointers_ranges on skip_pointers using brin (id) with (autosummarize = on);

  -- sums of days that are final
  create table daily_sums (
    count int8 not null,
    day date not null,
    mosaic int4 not null,
    key int4 not null,
    measure int2 not null,
    amount numeric not null,
    primary key (measure, mosaic, day, key)
  );

  -- transactions and receipts of types that the program did not know
  create table unknown_entities (
    id int8 not null,
    place text not null,
    type int4 not null,
    version int4 not null,
    primary key (id, place)
  );

  -- the first block that votes prove although a check rejects it
  create table missing_rule (
    id int2 primary key,
    height int8 not null,
    reason text not null,
    check (id = 1)
  );

  -- blocks whose state differs from their header
  create table differing_blocks (
    first_height int8 primary key,
    last_height int8 not null,
    roots bytea
  );

  -- why proofs do not count
  create table unproven_finalization (
    id int2 primary key,
    reason text not null,
    check (id = 1)
  );

  -- why the indexer does not continue
  create table indexer_failures (
    id int2 primary key,
    height int8,
    reason text not null,
    check (id = 1)
  );

  -- locked by the indexer that writes
  create view index_writer as select;

  -- indexes that a long fill has dropped, until it creates them again
  create table deferred_indexes (
    name text primary key,
    definition text not null
  );
`;

/** The chain: blocks and what is derived from their bytes, in the order of the chain. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}
