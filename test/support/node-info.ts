import type { NetworkIdentity } from "../../catapult/entity/model.js";

const VERSION = 0x01_00_03_08;
const ROLES = 7;
const PORT = 7900;

/** Node info of a node of a network (layout: catapult's `ionet/NetworkNode`). */
export function nodeInfoOf({ identifier, generationHashSeed }: NetworkIdentity): Buffer {
  const fixed = Buffer.alloc(81);
  fixed.writeUInt32LE(VERSION, 4);
  fixed.fill(1, 8, 40);
  generationHashSeed.copy(fixed, 40);
  fixed.writeUInt32LE(ROLES, 72);
  fixed.writeUInt16LE(PORT, 76);
  fixed.writeUInt8(identifier, 78);
  fixed.writeUInt32LE(fixed.length, 0);
  return fixed;
}
