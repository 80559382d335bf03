import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Properties, PropertyError } from "./properties.js";

/** The files of a node's `resources/` folder that describe its network and the node itself. */
const FILES = {
  network: "config-network.properties",
  node: "config-node.properties",
  inflation: "config-inflation.properties",
  finalization: "config-finalization.properties",
} as const;

/** Real files have a few kB. */
const MAX_FILE_BYTES = 1024 * 1024;

type FileName = keyof typeof FILES;

/** A resource file is missing or invalid. The message names the file; `cause` has the reason. */
export class NodeResourcesError extends Error {
  override readonly name = "NodeResourcesError";
}

/** The configuration of a network and a node, as in the files of a node's `resources/` folder. */
export interface ResourceFiles {
  /** `config-network.properties` */
  network(): Promise<Properties>;
  /** `config-node.properties` */
  node(): Promise<Properties>;
  /** `config-inflation.properties` */
  inflation(): Promise<Properties>;
}

/** A node's `resources/` folder. Files are read on demand, and again when they have changed. */
export class NodeResources implements ResourceFiles {
  readonly #directory: string;
  readonly #read = new Map<FileName, { readonly version: string; readonly properties: Properties }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** `config-network.properties`. @throws NodeResourcesError when it cannot be read */
  network(): Promise<Properties> {
    return this.#file("network");
  }

  /** `config-node.properties`. @throws NodeResourcesError when it cannot be read */
  node(): Promise<Properties> {
    return this.#file("node");
  }

  /** `config-inflation.properties`. @throws NodeResourcesError when it cannot be read */
  inflation(): Promise<Properties> {
    return this.#file("inflation");
  }

  /** `config-finalization.properties`; undefined if there is none. @throws NodeResourcesError when it cannot be read */
  async finalization(): Promise<Properties | undefined> {
    try {
      return await this.#file("finalization");
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }

  async #file(name: FileName): Promise<Properties> {
    const path = join(this.#directory, FILES[name]);
    try {
      const { mtimeMs, size } = await stat(path);
      if (size > MAX_FILE_BYTES) throw new PropertyError(`has ${size} bytes, more than ${MAX_FILE_BYTES}`);
      const version = `${mtimeMs} ${size}`;
      const known = this.#read.get(name);
      if (known?.version === version) return known.properties;
      const properties = new Properties(await readFile(path, "utf8"));
      this.#read.set(name, { version, properties });
      return properties;
    } catch (cause) {
      const problem = cause instanceof PropertyError ? cause.message : "cannot be read";
      throw new NodeResourcesError(`${FILES[name]} of CATAPULT_RESOURCES: ${problem}`, { cause });
    }
  }
}

function isMissingFile(error: unknown): boolean {
  const cause = error instanceof NodeResourcesError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT";
}
