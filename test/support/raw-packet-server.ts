import type { Packet } from "../../catapult/wire/packet.js";
import { PacketServer } from "../../devnet/protocol/packet-server.js";

/** A response whose bytes are sent unchanged in place of a packet, so they may violate the protocol. */
export class RawReply implements Packet {
  readonly type = 0;
  readonly payload: Buffer;

  constructor(payload: Buffer) {
    this.payload = payload;
  }
}

/** A packet server that can misbehave: its handlers may return a {@link RawReply}. */
export class RawPacketServer extends PacketServer {
  protected override encode(requestType: number, reply: Buffer | Packet): Buffer {
    return reply instanceof RawReply ? reply.payload : super.encode(requestType, reply);
  }
}
