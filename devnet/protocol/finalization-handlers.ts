import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Chain } from "../chain/chain.js";
import type { Finalizer } from "../harvest/finalizer.js";
import type { PacketHandler } from "./packet-server.js";
import { uint32, uint64, withoutPayload } from "./payload.js";

const EMPTY = Buffer.alloc(0);

/** Responses about finalized blocks by packet type, as the reference node's. */
export function finalizationHandlers(chain: Chain, finalizer: Finalizer): [number, PacketHandler][] {
  const proof = (bytes: Buffer | undefined) => ({ type: PacketType.pullFinalizationProof, payload: bytes ?? EMPTY });
  return [
    [
      PacketType.finalizationStatistics,
      withoutPayload(() => {
        const { epoch, point, height, hash } = chain.finalized;
        return Buffer.concat([uint32(epoch, point), uint64(BigInt(height)), hash]);
      }),
    ],
    [
      PacketType.finalizationProofAtEpoch,
      (request) => (request.length === 4 ? proof(finalizer.proofAtEpoch(request.readUInt32LE(0))) : undefined),
    ],
    [
      PacketType.finalizationProofAtHeight,
      (request) =>
        request.length === 8 ? proof(finalizer.proofAtHeight(Number(request.readBigUInt64LE(0)))) : undefined,
    ],
    // a round is completed at once: there is no other voter, and no message is left to send
    [PacketType.pushFinalizationMessages, () => undefined],
    [PacketType.pullFinalizationMessages, (request) => (request.length < 16 ? undefined : EMPTY)],
  ];
}
