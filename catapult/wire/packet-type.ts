/**
 * Packet types of nodes (`ionet/PacketType.h` of the reference node). State path packets are numbered by the code of the
 * facility that holds the state: 0x200 plus code.
 */
export const PacketType = {
  undefined: 0,

  serverChallenge: 1,
  clientChallenge: 2,
  pushBlock: 3,
  pullBlock: 4,
  chainStatistics: 5,
  blockHashes: 7,
  pullBlocks: 8,
  pushTransactions: 9,
  pullTransactions: 10,
  secureSigned: 11,
  subCacheMerkleRoots: 12,

  pushPartialTransactions: 0x100,
  pushDetachedCosignatures: 0x101,
  pullPartialTransactionInfos: 0x102,

  nodeDiscoveryPushPing: 0x110,
  nodeDiscoveryPullPing: 0x111,
  nodeDiscoveryPushPeers: 0x112,
  nodeDiscoveryPullPeers: 0x113,

  timeSyncNetworkTime: 0x120,

  pushFinalizationMessages: 0x130,
  pullFinalizationMessages: 0x131,
  finalizationStatistics: 0x132,
  finalizationProofAtEpoch: 0x133,
  finalizationProofAtHeight: 0x134,
  pullFinalizationProof: 0x135,

  accountStatePath: 0x243,
  hashLockStatePath: 0x248,
  secretLockStatePath: 0x252,
  metadataStatePath: 0x244,
  mosaicStatePath: 0x24d,
  multisigStatePath: 0x255,
  namespaceStatePath: 0x24e,
  accountRestrictionsStatePath: 0x250,
  mosaicRestrictionsStatePath: 0x251,

  diagnosticCounters: 0x300,
  confirmTimestampedHashes: 0x301,
  activeNodeInfos: 0x302,
  blockStatement: 0x303,
  unlockedAccounts: 0x304,
} as const;

const namesByNumber = new Map<number, string>(Object.entries(PacketType).map(([name, number]) => [number, name]));

/** An extension of the reference node that a node may lack. */
export type OptionalExtension = "diagnostics" | "partialtransaction" | "timesync";

/**
 * The extension without which a node does not answer this type, but closes all connections of the identity: types from
 * 0x300, which it answers only to its `trustedHosts`, those of partial transactions, and its time. Undefined for the others.
 */
export function extensionFor(type: number): OptionalExtension | undefined {
  if (type >= PacketType.diagnosticCounters) return "diagnostics";
  if (type === PacketType.timeSyncNetworkTime) return "timesync";
  return type === PacketType.pullPartialTransactionInfos ? "partialtransaction" : undefined;
}

/** A packet type for messages: its name and hexadecimal number, such as `pullBlocks (0x8)`. */
export function describePacketType(type: number): string {
  return `${namesByNumber.get(type) ?? "unknown packet type"} (0x${type.toString(16)})`;
}
