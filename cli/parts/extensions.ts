import { explorer, filesOfRoot, frontDoor } from "../../explorer/explorer.js";
import { reference } from "../../explorer/reference.js";
import type { Extension } from "../../gateway/rest/extension.js";
import { meshExtensions } from "../../mesh/mesh.js";
import type { Settings } from "../settings/settings.js";

/** What the gateway serves for other rooms: the pages for people, and Mesh if it has a path. */
export function makeExtensions({
  MESH_PATH: path,
  EXPLORER,
  COMPATIBILITY,
}: Partial<Pick<Settings, "MESH_PATH" | "EXPLORER" | "COMPATIBILITY">>): readonly Extension[] {
  const isPublic = EXPLORER === "public";
  return [
    explorer(isPublic),
    ...(isPublic ? [frontDoor] : []),
    ...filesOfRoot,
    reference,
    ...(path === undefined ? [] : meshExtensions(path, COMPATIBILITY === "catapult-rest")),
  ];
}
