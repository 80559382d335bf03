/** Test files, from the folder `test`, with their seconds on two processors. */
type Files = Readonly<Record<string, number>>;

/**
 * What `npm test` leaves out, to be over soon, and `npm test -- --all` and `.ci/run` run: whole
 * programs, browsers, walks by chance, plans of large tables, and recordings played in several ways.
 */
export const LONG_FILES: Files = {
  "indexer/contradicted-finality": 150,
  "explorer/explorer": 116,
  "explorer/languages-in-browser": 114,
  "indexer/main-network": 60,
  "indexer/mempool-recorded-pulls": 55,
  "indexer/several-nodes": 52,
  "cli/backfill": 45,
  "cli/program": 43,
  "indexer/check-every-height": 40,
  "indexer/large-block": 39,
  "cli/dev": 38,
  "indexer/backfill": 38,
  "mesh/recorded": 37,
  "explorer/weight": 34,
  "indexer/recorded-peers": 34,
  "end-to-end/thousand-transfers": 33,
  "ledger/recorded-chains": 32,
  "indexer/differing-recorded": 31,
  "devnet/memory": 31,
  "cli/embedded-postgres": 29,
  "schema/transaction-plans": 29,
  "indexer/state-walks": 28,
  "indexer/differing-state": 27,
  "indexer/unproven-finalization": 27,
  "indexer/mempool-recorded-forks": 26,
  "client/waiting": 24,
  "schema/announcer-recorded": 24,
  "schema/state-search": 23,
  "end-to-end/announcement-walk": 22,
  "explorer/hostile": 21,
  "explorer/first-page": 20,
  "contract/random-walk": 20,
  "schema/search": 20,
  "gateway/places": 19,
  "end-to-end/drops": 17,
  "indexer/fuzzed-blocks": 17,
  "cli/package": 16,
  "end-to-end/kill": 16,
  "indexer/accepted-chain": 16,
  "schema/account-movements": 16,
  "end-to-end/resuming-walks": 30,
  "ledger/undo": 15,
  "end-to-end/scenario": 18,
  "gateway/websocket-recorded": 16,
  "end-to-end/message-order": 14,
  "end-to-end/past-balances": 14,
  "end-to-end/block-path": 14,
  "gateway/recorded-bodies": 14,
  "indexer/state-reload": 14,
  "gateway/silent-database": 13,
  "indexer/execution-restarts": 13,
  "indexer/claimed-scores": 12,
  "indexer/main-network-rules": 12,
  "indexer/overruled-checks": 12,
  "explorer/public": 11,
  "mesh/scenario": 11,
  "devnet/restart": 11,
  "ledger/finalization": 10,
};

/** Files of which `npm test` runs a part of the cases, drawn, and `npm test -- --long` all. */
export const SAMPLED_FILES: Files = {
  "contract/contract": 28,
  "gateway/state-routes-recorded": 20,
  "indexer/replayed-proofs": 18,
  "indexer/recorded-chain": 12,
  "gateway/pages": 10,
};

/** The longest of all others. */
export const OTHER_FILES: Files = {
  "gateway/tried-announcements": 15,
  "indexer/mempool-recorded": 14,
  "gateway/exports": 13,
  "indexer/mempool-announcements": 13,
  "contract/differences": 12,
  "gateway/state-graphql": 10,
  "end-to-end/recorded-rest": 11,
  "gateway/unavailable": 11,
  "indexer/check": 11,
};
