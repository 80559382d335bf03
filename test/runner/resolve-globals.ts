import type { ResolveFnOutput, ResolveHookContext } from "node:module";

type Next<R> = (specifier: string, context?: Partial<ResolveHookContext>) => R;

/** Hook of Node's module loader: `@jest/globals`, which jest provides only in its own contexts, is `jest-globals.ts`. */
export function resolve<R extends ResolveFnOutput | Promise<ResolveFnOutput>>(
  specifier: string,
  context: ResolveHookContext,
  next: Next<R>,
): R | ResolveFnOutput {
  if (specifier !== "@jest/globals") return next(specifier, context);
  return { url: new URL("./jest-globals.js", import.meta.url).href, shortCircuit: true };
}
