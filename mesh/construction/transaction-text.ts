import { z } from "zod";
import { hex } from "../../catapult/entity/hex.js";
import { MeshError } from "../standard/errors.js";
import type { Decimals } from "./currency.js";

/**
 * The text of a transaction in requests and responses, which is opaque for clients: the bytes, and what they do not
 * have.
 */
export type TransactionText =
  | {
      readonly kind: "transaction";
      /** The payload as announced to nodes; signatures that are still missing are zeros. */
      readonly payload: Buffer;
      readonly decimals: Decimals;
    }
  | {
      readonly kind: "cosignature";
      /** A detached cosignature: version (8), public key (32), signature (64), hash of the aggregate (32). */
      readonly cosignature: Buffer;
    };

export const DETACHED_COSIGNATURE_SIZE = 136;
/** A hundred transfers with messages and a thousand operations have less. */
const MAX_PAYLOAD_BYTES = 131_072;
/** With the decimals of all its mosaics. */
const MAX_TEXT_LENGTH = 2 * MAX_PAYLOAD_BYTES + 16_384;

const hexBytes = z.string().regex(/^([0-9A-F]{2})+$/);
const Text = z.union([
  z.strictObject({ payload: hexBytes, decimals: z.record(z.string(), z.int().min(0)).optional() }),
  z.strictObject({ cosignature: hexBytes.length(2 * DETACHED_COSIGNATURE_SIZE) }),
]);

export function writeTransactionText(text: TransactionText): string {
  if (text.kind === "cosignature") return JSON.stringify({ cosignature: hex(text.cosignature) });
  const { payload, decimals } = text;
  return JSON.stringify({
    payload: hex(payload),
    ...(decimals.size > 0 && { decimals: Object.fromEntries(decimals) }),
  });
}

/** @throws MeshError invalidTransaction */
export function readTransactionText(text: string): TransactionText {
  if (text.length > MAX_TEXT_LENGTH) {
    throw new MeshError("invalidTransaction", { problem: `it has more than ${MAX_TEXT_LENGTH} characters` });
  }
  const { success, data } = Text.safeParse(parse(text));
  if (!success) throw new MeshError("invalidTransaction", { problem: "it is not a text that this API returned" });
  if ("cosignature" in data) return { kind: "cosignature", cosignature: Buffer.from(data.cosignature, "hex") };
  const { payload, decimals = {} } = data;
  return {
    kind: "transaction",
    payload: Buffer.from(payload, "hex"),
    decimals: new Map(Object.entries(decimals)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
