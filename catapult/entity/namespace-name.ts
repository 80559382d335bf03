import { generateNamespaceId } from "./generated-id.js";

const MAX_DEPTH = 3;
/** One part of a name (`namespace::IsValidName` of catapult). */
const PART = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The id of the namespace with a full name such as `symbol.xym`, or undefined if no namespace can have the name. */
export function namespaceIdOfName(name: string): bigint | undefined {
  const parts = name.split(".");
  if (parts.length > MAX_DEPTH || !parts.every((part) => PART.test(part))) return undefined;
  return parts.reduce((parentId, part) => generateNamespaceId(part, parentId), 0n);
}
