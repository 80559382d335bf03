import { stateKeySize, statePathPacket } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import type { PacketHandler } from "./packet-server.js";

/** Responses about the state after the last block: paths through the trees. */
export function stateHandlers({ tables }: ChainState): [number, PacketHandler][] {
  return STATE_KINDS.map((kind) => [
    statePathPacket(kind),
    (request) => (request.length === stateKeySize(kind) ? tables.statePath(kind, request) : undefined),
  ]);
}
