import { ModuleMocker } from "jest-mock";

/** Where jest keeps a file's tests and their listeners; with two files in one process, each must begin without. */
const JEST_SYMBOLS = new Set(["JEST_STATE_SYMBOL", "EVENT_HANDLERS"]);

/** Jest's environment of a test file: the process itself. What jest changes in it is undone at the end. */
export default class ProcessEnvironment {
  readonly global = globalThis;
  /** Jest requires one. No test uses it: a module that is loaded once cannot be replaced for one file. */
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly #console = globalThis.console;
  readonly #exit = process.exit;

  exportConditions(): string[] {
    return ["node", "node-addons"];
  }

  /** There is no context but that of the process. */
  getVmContext(): null {
    return null;
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (JEST_SYMBOLS.has(symbol.description ?? "")) Reflect.deleteProperty(globalThis, symbol);
    }
  }
}
