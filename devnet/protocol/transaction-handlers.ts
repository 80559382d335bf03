import { paddingSize } from "../../catapult/entity/entity-layout.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Announcer } from "../pool/announcer.js";
import type { PartialEntry, PartialTransactions } from "../pool/partial-transactions.js";
import type { TransactionPool } from "../pool/transaction-pool.js";
import type { PacketHandler, PacketPeer } from "./packet-server.js";
import { uint64 } from "./payload.js";

const HAS_TRANSACTION = 0x8000;

/** Accepts announced transactions and cosignatures, and returns pending ones, as the reference node. */
export function transactionHandlers(
  announcer: Announcer,
  pool: TransactionPool,
  partials: PartialTransactions,
): [number, PacketHandler][] {
  const taking = (take: (payload: Buffer, peer: string) => void): PacketHandler => {
    return (payload: Buffer, peer: PacketPeer) => {
      take(payload, peer.publicKey.toString("hex"));
      return undefined;
    };
  };
  return [
    [PacketType.pushTransactions, taking((payload, peer) => announcer.push(payload, peer))],
    [PacketType.pushPartialTransactions, taking((payload, peer) => announcer.pushPartials(payload, peer))],
    [PacketType.pushDetachedCosignatures, taking((payload) => announcer.pushCosignatures(payload))],
    [
      PacketType.pullTransactions,
      (request) => {
        if (request.length < 12 || request.length % 4 !== 0) return undefined;
        const knownShortHashes = new Set<number>();
        for (let offset = 12; offset < request.length; offset += 4) knownShortHashes.add(request.readUInt32LE(offset));
        const minDeadline = request.readBigUInt64LE(0);
        return Buffer.concat(
          pool.unknown({ minDeadline, minFeeMultiplier: request.readUInt32LE(8), knownShortHashes }),
        );
      },
    ],
    [
      PacketType.pullPartialTransactionInfos,
      (request) => {
        if (request.length < 8 || request.length % 8 !== 0) return undefined;
        const knownShortHashes = new Map<number, number>();
        for (let offset = 8; offset < request.length; offset += 8)
          knownShortHashes.set(request.readUInt32LE(offset), request.readUInt32LE(offset + 4));
        const minDeadline = request.readBigUInt64LE(0);
        return Buffer.concat(partials.unknown({ minDeadline, knownShortHashes }).map(partialInfo));
      },
    ],
  ];
}

/** A partial aggregate (only its hash, if the peer has it) and its cosignatures (catapult `handlers/PtHandlers`). */
function partialInfo({ aggregate, cosignatures, isKnown }: PartialEntry & { readonly isKnown: boolean }): Buffer {
  const { bytes, hash } = aggregate;
  const tag = cosignatures.length | (isKnown ? 0 : HAS_TRANSACTION);
  const content = isKnown ? [hash] : [bytes, Buffer.alloc(paddingSize(bytes.length))];
  return Buffer.concat([uint64(BigInt(tag)), ...content, ...cosignatures]);
}
