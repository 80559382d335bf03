/** Server settings for data that may be lost: no waiting for the disk. */
export const throwawaySettings: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  shared_buffers: "128MB",
};
