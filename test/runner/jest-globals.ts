import type * as globals from "@jest/globals";

/** Functions by which a test file defines its tests. */
export type TestGlobals = Omit<typeof globals, "jest">;

let ofFile: TestGlobals | undefined;

/** From now on, tests are added to the file that jest made these functions for. */
export function useGlobals(globalsOfFile: TestGlobals): void {
  ofFile = globalsOfFile;
}

/** Modules that several test files import are loaded once, so what they import must lead to the current file. */
function forward<N extends keyof TestGlobals>(name: N): TestGlobals[N] {
  const current = (): TestGlobals[N] => {
    if (!ofFile) throw new Error(`${name} is used before a test file runs`);
    return ofFile[name];
  };
  return new Proxy(() => undefined, {
    apply: (_, self, args) => Reflect.apply(current() as (...args: unknown[]) => unknown, self, args),
    get: (_, property) => Reflect.get(current(), property),
  }) as unknown as TestGlobals[N];
}

export const afterAll = forward("afterAll");
export const afterEach = forward("afterEach");
export const beforeAll = forward("beforeAll");
export const beforeEach = forward("beforeEach");
export const describe = forward("describe");
export const expect = forward("expect");
export const test = forward("test");
