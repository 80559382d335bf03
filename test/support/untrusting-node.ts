import { statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler } from "../../devnet/protocol/packet-server.js";

/** Makes a node one that trusts no client: it closes the connection on every packet of the diagnostics extension. */
export function trustNobody({ handlers }: { readonly handlers: Map<number, PacketHandler> }): void {
  const { blockStatement, subCacheMerkleRoots, unlockedAccounts, diagnosticCounters, activeNodeInfos } = PacketType;
  for (const type of [blockStatement, subCacheMerkleRoots, unlockedAccounts, diagnosticCounters, activeNodeInfos]) {
    handlers.delete(type);
  }
  for (const kind of STATE_KINDS) handlers.delete(statePackets(kind).values);
}
