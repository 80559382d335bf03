import { z } from "zod";
import { hex } from "../entity/hex.js";
import { type BodyOf, Hash256, HeightOrZero, Timestamp } from "../values/scalars.js";

export const TransactionStatusDTO = z
  .object({
    group: z.enum(["confirmed", "unconfirmed", "partial", "failed"]).meta({
      id: "TransactionGroupEnum",
      description:
        "confirmed: in a block; unconfirmed: pending for a block; partial: pending for cosignatures; failed: rejected or expired.",
    }),
    code: z
      .string()
      .describe("`Success`, or why the node rejected the transaction, such as `Failure_Core_Past_Deadline`."),
    hash: Hash256.describe("Hash of the transaction."),
    deadline: Timestamp.describe("Time after which the transaction can no longer be confirmed."),
    height: HeightOrZero.describe("Height of the block, 0 while there is none; absent if it failed.").optional(),
    held: z
      .literal(true)
      .describe(
        "Present if no node shows it, so that no list does: it was announced here and is not reported yet, or it is a partial aggregate that the node has forgotten, and is pushed again. The group is the one that it would have.",
      )
      .optional(),
    waitsFor: z
      .enum(["lock", "node"])
      .describe(
        "Present with held. lock: it is a bonded aggregate, pushed to the node when its hash lock is in a block; node: it was pushed or will be, and the node has not reported it yet.",
      )
      .optional(),
  })
  .meta({ id: "TransactionStatusDTO", description: "Status of an announced transaction." });

/** The REST body of a transaction's status. */
export type TransactionStatusBody = BodyOf<typeof TransactionStatusDTO>;

/** What is known of a transaction: `height` is absent if it failed. */
interface KnownStatus extends Pick<TransactionStatusBody, "group" | "code" | "held" | "waitsFor"> {
  readonly hash: Buffer;
  readonly deadline: bigint;
  readonly height?: number;
}

/** The REST body (`TransactionStatusDTO`). */
export function renderTransactionStatus({ hash, deadline, height, held, waitsFor, ...status }: KnownStatus): string {
  const body: TransactionStatusBody = {
    group: status.group,
    code: status.code,
    hash: hex(hash),
    deadline: String(deadline),
    ...(height !== undefined && { height: String(height) }),
    ...(held && { held, waitsFor }),
  };
  return JSON.stringify(body);
}
