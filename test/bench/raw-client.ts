import { connect, type Socket } from "node:net";

const KEY = Buffer.alloc(16, 1).toString("base64");
const SHORT_LENGTH = 125;
const NO_MASK = Buffer.alloc(4);

/**
 * A WebSocket client that costs next to nothing: it connects, subscribes, and from then on only counts received
 * bytes, so that a crowd of them takes less time than the measured server.
 */
export class RawClient {
  /** Number of bytes received after the uid. */
  received = 0;

  private constructor(socket: Socket, onBytes: (client: RawClient) => void) {
    socket.on("data", (data) => {
      this.received += data.length;
      onBytes(this);
    });
  }

  /**
   * Connects, waits for the uid, and subscribes.
   * @param onBytes called after each chunk
   * @throws Error when the server rejects the connection or closes it
   */
  static async connect(port: number, topics: readonly string[], onBytes: (client: RawClient) => void) {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`,
    );
    const uid = await readUid(socket);
    const client = new RawClient(socket, onBytes);
    for (const topic of topics) socket.write(textFrame(JSON.stringify({ uid, subscribe: topic })));
    return client;
  }
}

/** Size of a text message of a server in a frame, in bytes. */
export function frameSize(message: Buffer): number {
  return message.length + (message.length <= SHORT_LENGTH ? 2 : message.length < 65_536 ? 4 : 10);
}

function readUid(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const fail = (error?: Error): void =>
      reject(error ?? new Error("The server closed the connection before its greeting"));
    const read = (data: Buffer): void => {
      text += data.toString("latin1");
      const uid = /\{"uid":"([^"]+)"\}/.exec(text)?.[1];
      if (uid === undefined) return;
      socket.off("data", read).off("close", fail).off("error", fail);
      socket.on("error", () => undefined);
      resolve(uid);
    };
    socket.on("data", read).on("close", fail).on("error", fail);
  });
}

/** Clients must mask their frames; a mask of zeros changes nothing. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > SHORT_LENGTH) throw new RangeError(`A request of ${payload.length} bytes is too long`);
  return Buffer.concat([Buffer.of(0x81, 0x80 | payload.length), NO_MASK, payload]);
}
