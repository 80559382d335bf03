import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";

/** A check of ours that rejects a block although votes prove it, and its execution has the state hash of its header. */
export interface OverruledCheck {
  /** Of the block. */
  readonly height: number;
  /** The failure as a node names it, such as `Failure_Core_Insufficient_Balance`, or the field of the header. */
  readonly rule: string;
  /** Hash of the transaction; undefined if the check is not one of a transaction. */
  readonly transaction: Buffer | undefined;
}

/** Runs a check of a block; if a list is given, a failure is added to it instead of thrown. */
export function checkOrNote(overruled: OverruledCheck[] | undefined, height: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!overruled) throw error;
    const rule = error instanceof BlockRejectedError ? error.field : (error as Error).message;
    overruled.push({ height, rule, transaction: undefined });
  }
}
