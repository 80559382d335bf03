import { splitHashes } from "../../../catapult/entity/hashes.js";
import type { NetworkIdentity, VerifiedBlock } from "../../../catapult/entity/model.js";
import { BlockRejectedError, verifyBlock } from "../../../catapult/verify/verify.js";
import { verifyHit } from "../../../ledger/header/generation-rules.js";
import type { BlockRange } from "../step/block-range.js";
import { type EncodedRows, RowMaker } from "../step/block-rows.js";
import type { StageTimes } from "../step/stage-times.js";

/** What is verified of a range without state; blocks that are not decoded yet are decoded here. */
export type UnverifiedBlocks = Pick<BlockRange, "parent" | "bytes"> & Partial<Pick<BlockRange, "decoded">>;

export interface VerifyOptions {
  readonly network: NetworkIdentity;
  /** Whether to verify all signatures; hashes always are. */
  readonly checkSignatures: boolean;
}

/** The rows of verified blocks, and how long they took. */
export interface VerifiedRows extends EncodedRows {
  readonly spent: Partial<StageTimes>;
}

/** Number of blocks that are decoded at a time: short-lived objects cost the garbage collector least. */
const BLOCKS_AT_A_TIME = 32;

/**
 * Checks everything about blocks that needs no state, and makes their rows.
 * @throws BlockRejectedError naming the block and the field that does not hold
 */
export function verifyBlocks({ parent, bytes, decoded }: UnverifiedBlocks, options: VerifyOptions): VerifiedRows {
  const maker = new RowMaker(parent);
  const spent = { decode: 0, verify: 0 };
  let previous: Pick<VerifiedBlock, "height" | "hash" | "timestamp"> = parent;
  let verified: VerifiedBlock[] = [];
  for (const [index, { bytes: block, statement, subCacheMerkleRoots, target, isProven }] of bytes.entries()) {
    const startedAt = performance.now();
    let decodedAt = startedAt;
    const one = verifyBlock({
      bytes: block,
      decoded: decoded?.[index],
      statementBytes: statement,
      subCacheMerkleRoots: splitHashes(subCacheMerkleRoots),
      network: options.network,
      ...(previous.height > 0 && { previous }),
      checkSignatures: options.checkSignatures,
      isProven,
      onDecoded: () => {
        decodedAt = performance.now();
      },
    });
    if (one.height !== previous.height + 1) {
      throw new BlockRejectedError(previous.height + 1, "height", `is ${one.height}`);
    }
    verifyHit(one, target);
    spent.decode += decodedAt - startedAt;
    spent.verify += performance.now() - decodedAt;
    previous = one;
    verified.push(one);
    if (verified.length < BLOCKS_AT_A_TIME && index < bytes.length - 1) continue;
    maker.add(verified);
    verified = [];
  }
  return { ...maker.rows(), spent: { ...spent, ...maker.times } };
}
