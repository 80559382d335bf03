import { NodeClient } from "../../catapult/wire/node-client.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { UNBOUNDED_ANSWER } from "../../catapult/wire/requests.js";

/** Asks a node that trusts this host for more than the program ever does. */
export class TrustedClient extends NodeClient {
  /** The receipts of a block. */
  blockStatement(height: number): Promise<Buffer> {
    const payload = Buffer.alloc(8);
    payload.writeBigUInt64LE(BigInt(height));
    return this.ask({
      name: `receipts of block ${height}`,
      type: PacketType.blockStatement,
      payload,
      maxAnswerSize: UNBOUNDED_ANSWER,
      decode: (reader) => reader.bytes(reader.remaining, "statement"),
    });
  }
}
