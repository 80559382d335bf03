import type { ZodType } from "zod";
import { MeshError } from "./errors.js";

/** A request as its schema reads it. @throws MeshError invalidRequest, which names the first invalid member */
export function readMeshRequest(schema: ZodType, body: unknown): unknown {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MeshError("invalidRequest", {
    member: issue?.path.join(".") || "the body",
    problem: issue?.message ?? "invalid",
  });
}
