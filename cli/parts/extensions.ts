import { dashboard } from "../../explorer/dashboard/dashboard.js";
import { reference } from "../../explorer/reference/reference.js";
import type { Extension } from "../../gateway/rest/extension.js";
import { meshExtension } from "../../mesh/mesh.js";
import type { Settings } from "../settings/settings.js";

/** What the gateway serves for other rooms: the pages for people, and Mesh if it has a path. */
export function extensionsOf(settings: Partial<Pick<Settings, "MESH_PATH" | "MESH_NETWORK">>): readonly Extension[] {
  const { MESH_PATH: path, MESH_NETWORK: offlineNetwork } = settings;
  return [dashboard, reference, ...(path === undefined ? [] : [meshExtension({ path, offlineNetwork })])];
}
