interface Resolved {
  readonly url: string;
  readonly shortCircuit?: boolean;
}

const globals = new URL("./jest-globals.js", import.meta.url).href;

/** Hook of Node's module loader: `@jest/globals` is our module of that content. */
export function resolve<C, R extends Resolved | Promise<Resolved>>(
  specifier: string,
  context: C,
  next: (specifier: string, context: C) => R,
): R | Resolved {
  return specifier === "@jest/globals" ? { url: globals, shortCircuit: true } : next(specifier, context);
}
