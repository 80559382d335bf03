import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DevnetNetwork } from "./network.js";
import { nodeProperties } from "./network-properties.js";

/**
 * Writes the `config-*.properties` of a network and its node into a folder, which is created if missing: the files
 * that gateways read.
 */
export async function writeResources(
  directory: string,
  network: DevnetNetwork,
  node: { port: number; host: string; friendlyName: string },
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const files = { ...network.properties, "config-node.properties": nodeProperties(network.rules, node) };
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    // a concurrent reader finds the old file or the new one
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
}
