import { describe, expect, test } from "@jest/globals";
import { PacketError } from "../../catapult/wire/errors.js";
import { encodePacket, type Packet, PacketReader } from "../../catapult/wire/packet.js";
import { describePacketType, PacketType } from "../../catapult/wire/packet-type.js";

const MIB = 1024 * 1024;

function readAll(reader: PacketReader): Packet[] {
  const packets: Packet[] = [];
  for (let packet = reader.next(); packet; packet = reader.next()) packets.push(packet);
  return packets;
}

function header(size: number, type = 5): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(size, 0);
  bytes.writeUInt32LE(type, 4);
  return bytes;
}

describe("encodePacket", () => {
  test("writes size, type and payload, little-endian", () => {
    const frame = encodePacket(PacketType.blockStatement, Buffer.from("0102", "hex"));
    expect(frame.toString("hex")).toBe(`0a000000${"03030000"}0102`);
  });

  test("writes a bare header without a payload", () => {
    expect(encodePacket(PacketType.chainStatistics).toString("hex")).toBe("0800000005000000");
  });
});

describe("PacketReader", () => {
  test("returns complete packets, however they were split", () => {
    const packets = [
      { type: 1, payload: Buffer.alloc(0) },
      { type: 0xffff_ffff, payload: Buffer.from([7]) },
      { type: 3, payload: Buffer.alloc(300, 9) },
    ];
    const stream = Buffer.concat(packets.map(({ type, payload }) => encodePacket(type, payload)));
    for (let cut = 0; cut <= stream.length; cut++) {
      const reader = new PacketReader();
      reader.append(stream.subarray(0, cut));
      const before = readAll(reader);
      reader.append(stream.subarray(cut));
      expect([...before, ...readAll(reader)]).toEqual(packets);
      expect(reader.bufferedBytes).toBe(0);
    }
  });

  test.each([0, 1, 7])("rejects a size of %d, below the header's", (size) => {
    const reader = new PacketReader({ maxPacketSize: 100, source: "host:7900" });
    reader.append(header(size));
    expect(() => reader.next()).toThrow(
      `node host:7900: packet size ${size} is not between 8 and the limit of 100 bytes`,
    );
  });

  test("accepts a packet at the limit and rejects one byte more, before its payload arrives", () => {
    const reader = new PacketReader({ maxPacketSize: 100 });
    reader.append(encodePacket(5, Buffer.alloc(92)));
    expect(reader.next()?.payload.length).toBe(92);
    reader.append(header(101));
    const rejection = expect.objectContaining({ name: "PacketError", size: 101, limit: 100 });
    expect(() => reader.next()).toThrow(PacketError);
    try {
      reader.next();
    } catch (error) {
      expect(error).toEqual(rejection);
    }
  });

  test("returns the valid packets before it rejects an invalid one of the same chunk", () => {
    const reader = new PacketReader();
    reader.append(Buffer.concat([encodePacket(5, Buffer.from([1])), header(3)]));
    expect(reader.next()?.type).toBe(5);
    expect(() => reader.next()).toThrow("packet size 3");
  });

  test("allocates memory for received bytes, not for announced ones", () => {
    const reader = new PacketReader();
    reader.append(header(150 * MIB));
    let received = 8;
    for (let index = 0; index < 1000; index++) {
      reader.append(Buffer.alloc(1 + (index % 7) * 100));
      received += 1 + (index % 7) * 100;
      expect(reader.next()).toBeUndefined();
      expect(reader.allocatedBytes).toBeLessThanOrEqual(2 * received);
    }
    expect(reader.bufferedBytes).toBe(received);
  });

  test("receives a large packet into a buffer without spare room", () => {
    const reader = new PacketReader();
    const payload = Buffer.alloc(3 * MIB, 5);
    const frame = encodePacket(8, payload);
    for (let offset = 0; offset < frame.length; offset += 16_384) {
      expect(reader.next()).toBeUndefined();
      reader.append(frame.subarray(offset, offset + 16_384));
      expect(reader.allocatedBytes).toBeLessThanOrEqual(frame.length);
    }
    expect(reader.next()?.payload.equals(payload)).toBe(true);
    expect(reader.allocatedBytes).toBe(0);
  });

  test("keeps no memory of a packet that it forgets", () => {
    const reader = new PacketReader();
    reader.append(encodePacket(8, Buffer.alloc(MIB)).subarray(0, -1));
    reader.clear();
    expect(reader.allocatedBytes).toBe(0);
    reader.append(encodePacket(5, Buffer.from([1])));
    expect(reader.next()).toEqual({ type: 5, payload: Buffer.from([1]) });
  });
});

describe("PacketType", () => {
  test("numbers state packets by facility code", () => {
    const facilities = { account: 0x43, hashLock: 0x48, secretLock: 0x52, metadata: 0x44, mosaic: 0x4d } as const;
    const others = { multisig: 0x55, namespace: 0x4e, accountRestrictions: 0x50, mosaicRestrictions: 0x51 } as const;
    for (const [name, code] of Object.entries({ ...facilities, ...others })) {
      const types: Record<string, number> = PacketType;
      expect(types[`${name}StatePath`]).toBe(0x200 + code);
    }
  });

  test("has no number twice", () => {
    const numbers = Object.values(PacketType);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test("is described by name and number", () => {
    expect(describePacketType(8)).toBe("pullBlocks (0x8)");
    expect(describePacketType(0x999)).toBe("unknown packet type (0x999)");
  });
});
