import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { deserialize, serialize } from "node:v8";
import type { TestDatabase } from "../support/database.js";
import type { GeneratedBlock } from "../support/executable-chain.js";
import {
  type ChainCheckpoint,
  ExecutableChain,
  type ExecutableOptions,
  executableNetwork,
} from "../support/executable-chain.js";
import { createDatabaseOf, encodeRaw, type FinalBlock } from "./filled-database.js";

/** Number of blocks in a file, four epochs: the most that is generated again after an interruption. */
export const PORTION = 5_760;

interface Progress {
  readonly checkpoint: ChainCheckpoint;
  readonly final: readonly FinalBlock[];
}

/** A chain that can be executed, in files of a folder: generating it continues where it was interrupted. */
export class StoredChain {
  readonly #folder: string;
  readonly #options: ExecutableOptions;

  /** @param options without a length: all blocks are final */
  constructor(folder: string, options: Omit<ExecutableOptions, "blocks" | "open">) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#options = { ...options, blocks: Number.MAX_SAFE_INTEGER, open: 0 };
  }

  /** Generates what is missing of the first `blocks`, a multiple of a portion. */
  async grow(blocks: number, say: (line: string) => void): Promise<void> {
    const progress = this.#progress();
    let height = progress?.checkpoint.height ?? 0;
    if (height >= blocks) return;
    const chain = progress
      ? await ExecutableChain.resume(this.#options, progress.checkpoint)
      : new ExecutableChain(this.#options);
    const final = [...(progress?.final ?? [])];
    while (height < blocks) {
      const file = createWriteStream(this.#file(height / PORTION));
      await pipeline(Readable.from(encodeRaw(takeFrom(chain, final))), file);
      height += PORTION;
      const unfinished = path.join(this.#folder, "progress.unfinished");
      writeFileSync(unfinished, serialize({ checkpoint: chain.checkpoint(), final } satisfies Progress));
      renameSync(unfinished, path.join(this.#folder, "progress"));
      say(`${height} blocks are generated`);
    }
  }

  /** A migrated database with the bytes of the first `blocks`, and nothing else. */
  createDatabase(blocks: number): Promise<TestDatabase> {
    const { network } = executableNetwork(this.#options);
    const portions = Array.from({ length: blocks / PORTION }, (_, portion) => createReadStream(this.#file(portion)));
    const final = (this.#progress()?.final ?? []).filter(({ height }) => height <= blocks);
    return createDatabaseOf(network.identity, portions, final);
  }

  #progress(): Progress | undefined {
    const file = path.join(this.#folder, "progress");
    return existsSync(file) ? (deserialize(readFileSync(file)) as Progress) : undefined;
  }

  #file(portion: number): string {
    return path.join(this.#folder, `blocks-${portion}.copy`);
  }
}

function* takeFrom(chain: ExecutableChain, final: FinalBlock[]): Generator<GeneratedBlock> {
  for (let taken = 0; taken < PORTION; taken++) {
    const block = chain.next();
    const { height, hash, proof } = block;
    if (proof) final.push({ epoch: proof.epoch, point: 1, height, hash });
    yield block;
  }
}
