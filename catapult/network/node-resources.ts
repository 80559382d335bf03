import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describeFileError } from "../files/file-error.js";
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

interface KnownFile {
  readonly version: string;
  readonly properties: Properties;
  /** Whether its file could not be read lately. */
  isKept: boolean;
}

/** A resource file is missing or invalid. The message names the file, and is for clients too. */
export class NodeResourcesError extends Error {
  override readonly name = "NodeResourcesError";
  /** For operators: also with the path, its owner and mode, and this process's user. */
  readonly detail: string;

  constructor(file: string, cause: unknown) {
    const isInvalid = cause instanceof PropertyError;
    super(`${file} of CATAPULT_RESOURCES: ${isInvalid ? cause.message : "cannot be read"}`, { cause });
    this.detail = isInvalid ? this.message : `${file} cannot be read: ${describeFileError(cause)}`;
  }
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

/**
 * A node's `resources/` folder. Files are read on demand, and again when they have changed. What was read stays valid while
 * its file cannot be read: tools that upgrade a node delete the folder and write it again.
 */
export class NodeResources implements ResourceFiles {
  readonly #directory: string;
  readonly #onKept: (error: NodeResourcesError) => void;
  readonly #read = new Map<FileName, KnownFile>();

  /** @param onKept called once when a file that was read before cannot be read any more */
  constructor(directory: string, onKept: (error: NodeResourcesError) => void = () => undefined) {
    this.#directory = directory;
    this.#onKept = onKept;
  }

  /** Reads all files that are there, so that they are known whatever happens to the folder. */
  async load(): Promise<void> {
    await Promise.allSettled([this.network(), this.node(), this.inflation(), this.finalization()]);
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
      if (known?.version === version) {
        known.isKept = false;
        return known.properties;
      }
      const properties = new Properties(await readFile(path, "utf8"));
      this.#read.set(name, { version, properties, isKept: false });
      return properties;
    } catch (cause) {
      const error = new NodeResourcesError(FILES[name], cause);
      const known = this.#read.get(name);
      if (!known) throw error;
      if (!known.isKept) this.#onKept(error);
      known.isKept = true;
      return known.properties;
    }
  }
}

function isMissingFile(error: unknown): boolean {
  const cause = error instanceof NodeResourcesError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT";
}
