import { Inspector } from "./inspector.js";
import type { TestProcess } from "./process.js";

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** The files of ours that run in some processes, by V8's precise coverage. */
export class FilesRun {
  readonly #inspectors: readonly Inspector[];

  private constructor(inspectors: readonly Inspector[]) {
    this.#inspectors = inspectors;
  }

  static async of(...programs: readonly TestProcess[]): Promise<FilesRun> {
    const inspectors = await Promise.all(programs.map((program) => Inspector.of(program)));
    for (const inspector of inspectors) {
      await inspector.call("Profiler.enable");
      await inspector.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    }
    return new FilesRun(inspectors);
  }

  /** The files in which a function runs each of three times that something is done: others run for the process itself. */
  async during(work: (n: number) => Promise<void>): Promise<string[]> {
    let files = await this.#once(() => work(0));
    for (let n = 1; n < 3; n++) {
      const again = new Set(await this.#once(() => work(n)));
      files = files.filter((file) => again.has(file));
    }
    return files;
  }

  close(): void {
    for (const inspector of this.#inspectors) inspector.close();
  }

  async #once(work: () => Promise<void>): Promise<string[]> {
    await this.#take();
    await work();
    return this.#take();
  }

  /** Files in which a function has run since this was last called. */
  async #take(): Promise<string[]> {
    const answers = await Promise.all(this.#inspectors.map((one) => one.call("Profiler.takePreciseCoverage")));
    const scripts = answers.flatMap((answer) => (answer as { result: ScriptCoverage[] }).result);
    const ran = scripts.filter(({ functions }) =>
      functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    );
    const ours = ran.filter(({ url }) => !url.includes("/node_modules/"));
    return [...new Set(ours.flatMap(({ url }) => /\/dist\/(.*)\.js$/.exec(url)?.[1] ?? []))].sort();
  }
}

/** Prints the number of files, and their names. */
export function printFiles(what: string, files: readonly string[]): void {
  process.stdout.write(`${files.length} files run for ${what}:\n  ${files.join("\n  ")}\n`);
}
