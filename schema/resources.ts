import type { NodeResources } from "../catapult/node-resources.js";
import type { Context } from "./context.js";
import { serviceUnavailable } from "./errors.js";

/** The node's resource files. @throws ApiError ServiceUnavailable naming the setting that this gateway lacks */
export function requireResources({ resources }: Context): NodeResources {
  if (resources) return resources;
  throw serviceUnavailable("this is read from the node's resource files: CATAPULT_RESOURCES must name their folder");
}
