import { namespaceIdOfName } from "../../catapult/entity/generated-id.js";

/** The id of a namespace by its full name. @throws TypeError for a name that no namespace can have */
export function namespaceIdOf(name: string): bigint {
  const id = namespaceIdOfName(name);
  if (id === undefined) throw new TypeError(`${name} is not the name of a namespace`);
  return id;
}
