import { z } from "zod";
import { invalidMember } from "../standard/errors.js";
import { withoutEmpty } from "../standard/read-request.js";
import type { Operation } from "../standard/schemas.js";

const hash = z.string().regex(/^[0-9A-F]{64}$/, "must be 64 upper-case hex digits");
const MAX_DURATION = 0xffff_ffff;

/** Of the debit of a transfer: see {@link import("../standard/message.js").MessageMetadata}. */
export const TransferMetadata = z.strictObject({ message: z.string().optional(), message_hex: z.string().optional() });

/** Of a cosign operation for a pending aggregate. */
export const CosignMetadata = z.strictObject({ aggregate_hash: hash });

/** Of a hash lock; `duration` in blocks. */
export const HashLockMetadata = z.strictObject({ aggregate_hash: hash, duration: z.int().min(1).max(MAX_DURATION) });

/** Of any other operation. */
export const NoMetadata = z.strictObject({});

/** The metadata of an operation, `{}` without any. @throws MeshError invalidRequest that names the member */
export function readMetadata<Type>(schema: z.ZodType<Type>, { metadata }: Operation, member: string): Type {
  return readStrictly(schema, metadata ?? {}, `${member}.metadata`);
}

/** A part of a request that the standard leaves open. @throws MeshError invalidRequest that names the member */
export function readStrictly<Type>(schema: z.ZodType<Type>, value: unknown, member: string): Type {
  const result = schema.safeParse(withoutEmpty(value, schema));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalidMember([member, ...(issue?.path ?? [])].join("."), issue?.message ?? "invalid");
}
