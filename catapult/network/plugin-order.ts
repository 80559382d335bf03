/** Sections of a node's `config-network.properties` besides those of plugins. */
const OTHER_SECTIONS: ReadonlySet<string> = new Set([
  "network",
  "chain",
  "fork_heights",
  "treasury_reissuance_transaction_signatures",
  "corrupt_aggregate_transaction_hashes",
]);
const PLUGIN_SECTION = /^plugin:(.+)$/;

/** How many buckets a hash table of the C++ library has, as it grows. */
const BUCKETS = [13n, 29n, 59n, 127n, 257n] as const;
const HASH_SEED = 0xc70f6907n;
const HASH_FACTOR = 0xc6a4a7935bd1e995n;
const HASH_SHIFT = 47n;

/**
 * The plugins of a network, by their full names, in the order in which nodes load them: it decides which failure a
 * transaction gets that several plugins reject. Nodes walk a hash table, filled from a second one, which was filled from
 * a third one with the sections of the file (catapult's `utils/ConfigurationBag`, `model/BlockchainConfiguration`
 * `ParsePluginSections`, `local/HostUtils`). So it depends on the number and the order of these, and on libstdc++, with
 * which nodes are built.
 *
 * @param titles the sections of `config-network.properties`, in the order of the file; unknown ones do not count
 */
export function pluginOrder(titles: readonly string[]): readonly string[] {
  const known = titles.filter((title) => OTHER_SECTIONS.has(title) || PLUGIN_SECTION.test(title));
  const plugins = hashTableOrder(hashTableOrder(known)).flatMap((title) => PLUGIN_SECTION.exec(title)?.[1] ?? []);
  return hashTableOrder(plugins);
}

/** The order in which an `unordered_map` of libstdc++ lists different texts that were inserted one after the other. */
function hashTableOrder(texts: readonly string[]): readonly string[] {
  let listed: string[] = [];
  let buckets: bigint = BUCKETS[0];
  /** A bucket's texts are neighbours: a new one comes before them, or before all if its bucket is empty. */
  const insert = (text: string) => {
    const bucket = hashText(text) % buckets;
    const first = listed.findIndex((other) => hashText(other) % buckets === bucket);
    listed.splice(Math.max(0, first), 0, text);
  };
  for (const text of texts) {
    if (BigInt(listed.length) === buckets) {
      const inserted = listed;
      listed = [];
      buckets = BUCKETS.find((count) => count > buckets) ?? buckets;
      inserted.forEach(insert);
    }
    insert(text);
  }
  return listed;
}

/** The hash of a text in libstdc++ (`_Hash_bytes`): Murmur's, of 64 bits. */
function hashText(text: string): bigint {
  const bytes = Buffer.from(text, "latin1");
  const product = (left: bigint) => BigInt.asUintN(64, left * HASH_FACTOR);
  const mixed = (value: bigint) => value ^ (value >> HASH_SHIFT);
  let hash = HASH_SEED ^ product(BigInt(bytes.length));
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    hash = product(hash ^ product(mixed(product(bytes.readBigUInt64LE(at)))));
  }
  if (at < bytes.length) {
    const rest = Buffer.alloc(8);
    bytes.copy(rest, 0, at);
    hash = product(hash ^ rest.readBigUInt64LE());
  }
  return mixed(product(mixed(hash)));
}
