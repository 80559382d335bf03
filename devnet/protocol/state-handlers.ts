import { stateKeySize, statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { statePath, stateValue } from "../../ledger/engine/state-queries.js";
import type { PacketHandler } from "./packet-server.js";
import { uint32 } from "./payload.js";

const INFO_HEADER_SIZE = 8;
/** Maximum keys per request: requests with more are not answered. */
const MAX_KEYS = 100_000;

/** Responses about the state after the last block: values by their keys, and paths through the trees. */
export function stateHandlers({ tables }: ChainState): [number, PacketHandler][] {
  return STATE_KINDS.flatMap((kind): [number, PacketHandler][] => {
    const { values, path } = statePackets(kind);
    const keySize = stateKeySize(kind);
    return [
      [
        values,
        (request) => {
          const count = request.length / keySize;
          if (!Number.isInteger(count) || count === 0 || count > MAX_KEYS) return undefined;
          const keys = Array.from({ length: count }, (_, index) =>
            request.subarray(index * keySize, (index + 1) * keySize),
          );
          return Buffer.concat(keys.map((key) => stateInfo(key, stateValue(tables, kind, key))));
        },
      ],
      [path, (request) => (request.length === keySize ? statePath(tables, kind, request) : undefined)],
    ];
  });
}

/** A key with its value, which is empty if there is none (catapult `model/CacheEntryInfo`). */
function stateInfo(key: Buffer, value: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([uint32(INFO_HEADER_SIZE + key.length + value.length, value.length), key, value]);
}
