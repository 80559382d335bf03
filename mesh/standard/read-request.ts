import { ZodArray, ZodNumber, ZodObject, ZodOptional, type ZodType } from "zod";
import { optional } from "../../schema/graph/arguments.js";
import { MeshError } from "./errors.js";

/** An empty one is another than none: its bytes say that it is a text. */
const MESSAGE = "message";

/** The same without optional members that are null or empty, which typed clients write for those that are not set. */
export function withoutEmpty(value: unknown, schema: unknown): unknown {
  if (schema instanceof ZodOptional) return withoutEmpty(value, schema.unwrap());
  if (typeof value !== "object" || value === null) return value;
  if (schema instanceof ZodArray && Array.isArray(value)) return value.map((one) => withoutEmpty(one, schema.element));
  if (!(schema instanceof ZodObject) || Array.isArray(value)) return value;
  const shape: Readonly<Record<string, unknown>> = schema.shape;
  const members = Object.entries(value).filter(
    ([name, member]) =>
      !(shape[name] instanceof ZodOptional) || !isEmpty(member) || (name === MESSAGE && member === ""),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member, shape[name])]));
}

function isEmpty(member: unknown): boolean {
  return optional(member) === undefined || (Array.isArray(member) && member.length === 0);
}

/** What integers may be written as: clients of catapult-rest send heights as texts. */
const INTEGER_TEXT = /^-?\d{1,15}$/;

/** The same with integers in place of their texts. */
function withIntegers(value: unknown, schema: unknown): unknown {
  if (schema instanceof ZodOptional) return withIntegers(value, schema.unwrap());
  if (schema instanceof ZodNumber) return typeof value === "string" && INTEGER_TEXT.test(value) ? Number(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (schema instanceof ZodArray && Array.isArray(value)) return value.map((one) => withIntegers(one, schema.element));
  if (!(schema instanceof ZodObject) || Array.isArray(value)) return value;
  const shape: Readonly<Record<string, unknown>> = schema.shape;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIntegers(member, shape[name])]));
}

/** A request as its schema reads it. @throws MeshError invalidRequest, which names the first invalid member */
export function readMeshRequest(schema: ZodType, body: unknown): unknown {
  const result = schema.safeParse(withIntegers(withoutEmpty(body, schema), schema));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MeshError("invalidRequest", {
    member: issue?.path.join(".") || "the body",
    problem: issue?.message ?? "invalid",
  });
}
