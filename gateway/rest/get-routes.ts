/** A path without percent-encoding, empty segments, or a scheme and host: what needs no further parsing. */
const PLAIN_PATH = /^(?:\/[\w.~-]+)+$/;
const PARAMETER = /^\{(\w+)\}$/;

interface Node<Entry> {
  readonly literals: Map<string, Node<Entry>>;
  parameter?: Node<Entry>;
  leaf?: { readonly entry: Entry; readonly names: readonly string[] };
}

/** An entry, with the parameters in the path that was looked up. */
export interface Found<Entry> {
  readonly entry: Entry;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds routes by path, at a cost that does not grow with their number. Literal segments come before parameters
 * (`/a/b` before `/a/{c}`).
 */
export class GetRoutes<Entry> {
  readonly #root: Node<Entry> = { literals: new Map() };

  /** @param path as in OpenAPI: `/blocks/{height}` @throws RangeError when another path is matched by the same URLs */
  add(path: string, entry: Entry): void {
    let node = this.#root;
    const names: string[] = [];
    for (const segment of path.slice(1).split("/")) {
      const [, name] = PARAMETER.exec(segment) ?? [];
      if (name !== undefined) names.push(name);
      node = name === undefined ? literalOf(node, segment) : parameterOf(node);
    }
    if (node.leaf) throw new RangeError(`There is another route with the form of ${path}`);
    node.leaf = { entry, names };
  }

  /** @returns undefined for a path that no route has, or that is not plain */
  find(url: string): Found<Entry> | undefined {
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    if (!PLAIN_PATH.test(path)) return undefined;
    const segments = path.split("/");
    const values: string[] = [];
    const leaf = findLeaf(this.#root, segments, 1, values);
    if (!leaf) return undefined;
    const parameters: Record<string, string> = {};
    leaf.names.forEach((name, place) => {
      parameters[name] = values[place] as string;
    });
    return { entry: leaf.entry, parameters };
  }
}

function literalOf<Entry>(node: Node<Entry>, segment: string): Node<Entry> {
  const next: Node<Entry> = node.literals.get(segment) ?? { literals: new Map() };
  node.literals.set(segment, next);
  return next;
}

function parameterOf<Entry>(node: Node<Entry>): Node<Entry> {
  node.parameter ??= { literals: new Map() };
  return node.parameter;
}

/** @param values receives the parameters, in order */
function findLeaf<Entry>(
  node: Node<Entry>,
  segments: readonly string[],
  place: number,
  values: string[],
): Node<Entry>["leaf"] {
  const segment = segments[place];
  if (segment === undefined) return node.leaf;
  const literal = node.literals.get(segment);
  const found = literal && findLeaf(literal, segments, place + 1, values);
  if (found || !node.parameter) return found;
  values.push(segment);
  const leaf = findLeaf(node.parameter, segments, place + 1, values);
  if (!leaf) values.pop();
  return leaf;
}
