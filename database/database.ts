import type { Kysely } from "kysely";
import type {
  BalanceChangeTable,
  BlockTable,
  DeferredIndexTable,
  DroppedBlockTable,
  FinalizedBlockTable,
  HeadTable,
  IndexerFailureTable,
  KeyTable,
  MissingRuleTable,
  RawBlockTable,
  ReceiptTable,
  ResolutionStatementTable,
  TransactionAddressTable,
  TransactionMosaicTable,
  TransactionStatementTable,
  TransactionTable,
  UnknownEntityTable,
  UnprovenFinalizationTable,
} from "./tables/chain.js";
import type { EventAddressTable, EventTable } from "./tables/events.js";
import type {
  CounterTable,
  DailySumTable,
  ListBucketTable,
  ListCounterTable,
  SkipPointerTable,
} from "./tables/lists.js";
import type {
  AnnouncementTable,
  AwaitedTransactionTable,
  PendingCosignatureTable,
  PendingTransactionAddressTable,
  PendingTransactionMosaicTable,
  PendingTransactionTable,
  RejectedAnnouncementTable,
  TransactionStatusTable,
} from "./tables/pending.js";
import type {
  AccountBalanceTable,
  AccountRestrictionTable,
  AccountTable,
  BalanceHistogramTable,
  DifferingBlocksTable,
  HashLockTable,
  HiddenStateTable,
  MetadataTable,
  MosaicRestrictionTable,
  MosaicTable,
  MultisigTable,
  NamespaceRegistrationTable,
  NamespaceTable,
  ReplacedStateTable,
  SecretLockTable,
  VotingSetTable,
} from "./tables/state.js";
import type { WebhookMessageTable, WebhookTable } from "./tables/webhooks.js";

/** Every table, by its name. Row types are in `tables/`, queries in `queries/`, `lists/` and `mempool/`. */
export interface Database {
  head: HeadTable;
  raw_blocks: RawBlockTable;
  blocks: BlockTable;
  transactions: TransactionTable;
  transaction_addresses: TransactionAddressTable;
  transaction_mosaics: TransactionMosaicTable;
  transaction_statements: TransactionStatementTable;
  receipts: ReceiptTable;
  address_resolution_statements: ResolutionStatementTable;
  mosaic_resolution_statements: ResolutionStatementTable;
  balance_changes: BalanceChangeTable;
  dropped_blocks: DroppedBlockTable;
  finalized_blocks: FinalizedBlockTable;
  keys: KeyTable;
  daily_sums: DailySumTable;
  list_counters: ListCounterTable;
  counters: CounterTable;
  skip_pointers: SkipPointerTable;
  list_buckets: ListBucketTable;
  events: EventTable;
  event_addresses: EventAddressTable;
  accounts: AccountTable;
  account_balances: AccountBalanceTable;
  balance_histogram: BalanceHistogramTable;
  mosaics: MosaicTable;
  namespaces: NamespaceTable;
  namespace_registrations: NamespaceRegistrationTable;
  multisigs: MultisigTable;
  metadata: MetadataTable;
  hash_locks: HashLockTable;
  secret_locks: SecretLockTable;
  account_restrictions: AccountRestrictionTable;
  mosaic_restrictions: MosaicRestrictionTable;
  pending_transactions: PendingTransactionTable;
  pending_transaction_addresses: PendingTransactionAddressTable;
  pending_transaction_mosaics: PendingTransactionMosaicTable;
  pending_cosignatures: PendingCosignatureTable;
  transaction_statuses: TransactionStatusTable;
  awaited_transactions: AwaitedTransactionTable;
  announcements: AnnouncementTable;
  rejected_announcements: RejectedAnnouncementTable;
  deferred_indexes: DeferredIndexTable;
  replaced_states: ReplacedStateTable;
  hidden_states: HiddenStateTable;
  voting_sets: VotingSetTable;
  unknown_entities: UnknownEntityTable;
  missing_rule: MissingRuleTable;
  differing_blocks: DifferingBlocksTable;
  indexer_failures: IndexerFailureTable;
  unproven_finalization: UnprovenFinalizationTable;
  webhooks: WebhookTable;
  webhook_messages: WebhookMessageTable;
}

export type Db = Kysely<Database>;
