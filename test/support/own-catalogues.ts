/**
 * What a query for locks and connections selects from: of the database that runs it alone. The server's catalogues have
 * the other test files' databases too, in which relations and connections have the same ids and names.
 */
export const OWN_LOCKS = `(select * from pg_locks
  where database = (select oid from pg_database where datname = current_database())) as own_locks`;

/** The connections to the database, other than the one that asks. */
export const OWN_CONNECTIONS = `(select * from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()) as own_connections`;
