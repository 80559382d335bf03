import type { NetworkIdentity, VerifiedBlock } from "../../../catapult/entity/model.js";
import { verifyBlock } from "../../../catapult/verify/verify.js";
import { copyInto } from "../../../database/binary/driver.js";
import { BinaryWriter, int8 } from "../../../database/binary/rows.js";
import type { Db } from "../../../database/database.js";
import { readRawBlocks } from "../../../database/queries/blocks.js";

/** The bytes of a block, as they are stored. */
export interface RawBlock {
  readonly bytes: Buffer;
  readonly statement: Buffer;
  /** 32 bytes each, concatenated; empty if there are none. */
  readonly subCacheMerkleRoots: Buffer;
}

const COLUMNS = ["height", "block", "statement", "sub_cache_merkle_roots"];
const FIRST_CAPACITY = 64 * 1024;
/** Size of what is sent at a time: smaller values are copied together. */
const PART_BYTES = 1024 * 1024;

/** Writes the bytes of consecutive blocks, the first at height `from`, in place of those that a rebuild left behind. */
export async function writeRawBlocks(trx: Db, from: number, blocks: readonly RawBlock[]): Promise<void> {
  const to = from + blocks.length - 1;
  await trx.deleteFrom("raw_blocks").where("height", ">=", from).where("height", "<=", to).execute();
  await copyInto(trx, "raw_blocks", COLUMNS, rawRows(from, blocks));
}

/** Rows in COPY's form, in parts. Those of a large value are views of it: a block of 150 MB is not copied. */
function* rawRows(from: number, blocks: readonly RawBlock[]): Generator<Buffer> {
  let writer = new BinaryWriter(FIRST_CAPACITY);
  for (const [index, { bytes, statement, subCacheMerkleRoots }] of blocks.entries()) {
    writer.int16(COLUMNS.length);
    int8.write(writer, from + index);
    for (const value of [bytes, statement, subCacheMerkleRoots]) {
      writer.int32(value.length);
      if (value.length < PART_BYTES) {
        writer.append(value);
        continue;
      }
      yield writer.bytes();
      writer = new BinaryWriter(FIRST_CAPACITY);
      for (let start = 0; start < value.length; start += PART_BYTES) yield value.subarray(start, start + PART_BYTES);
    }
    if (writer.size < PART_BYTES) continue;
    yield writer.bytes();
    writer = new BinaryWriter(FIRST_CAPACITY);
  }
  yield writer.bytes();
}

/** Some blocks of the database, which were verified before they were written. */
export async function storedBlocks(
  db: Db,
  network: NetworkIdentity,
  from: number,
  to: number,
): Promise<VerifiedBlock[]> {
  const rows = await readRawBlocks(db, from, to);
  return rows.map(({ block, statement }) =>
    verifyBlock({ bytes: block, statementBytes: statement, network, checkSignatures: false }),
  );
}
