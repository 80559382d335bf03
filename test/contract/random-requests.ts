import type { SeededRandom } from "../support/seeded-random.js";
import { type Asked, fillPath, queryText } from "./ask.js";
import { ABSENT, type Example } from "./examples.js";
import type { Operation, Parameter } from "./operations.js";
import { wrongBodies } from "./wrong-bodies.js";
import { wrongValues } from "./wrong-values.js";

/** A random valid or invalid request. */
export interface RandomRequest extends Asked {
  readonly headers: Readonly<Record<string, string>>;
}

const PAGES: Readonly<Record<string, readonly string[]>> = {
  pageSize: ["10", "25", "100"],
  pageNumber: ["1", "2", "3", "9999", "2147483647"],
  order: ["asc", "desc"],
  orderBy: ["id", "height", "balance"],
  offset: ["000000000000000000000001", "000000000900000000000000", "FFFFFFFFFFFFFFFFFFFFFFFF"],
};

const JUNK = [
  ...["", " ", "abc", "NaN", "1e3", "0x1", "-1", "0", "1", "'; drop table blocks; --", "\u0000", "💥", "%", ".."],
  ...["true", "null", "undefined", "[]", "{}", "9007199254740993", "18446744073709551615", "a".repeat(2000)],
  ...["F".repeat(24), "F".repeat(48), "F".repeat(64), "0".repeat(16), "../../etc/passwd", "{{1}}", "é"],
];

/** Creates requests of the description's operations: valid, invalid and nonsense. */
export class RandomRequests {
  readonly #random: SeededRandom;
  readonly #operations: readonly Operation[];
  readonly #examples: Readonly<Record<string, Example>>;

  constructor(random: SeededRandom, operations: readonly Operation[], examples: Readonly<Record<string, Example>>) {
    this.#random = random;
    this.#operations = operations;
    this.#examples = examples;
  }

  next(): RandomRequest {
    const operation = this.#pick(this.#operations);
    const example = this.#examples[operation.operationId] ?? {};
    const path = `${this.#path(operation, example)}${this.#query(operation, example)}`;
    const body = this.#body(operation, example);
    const method = this.#chance(20) ? this.#pick(["HEAD", "DELETE", "PATCH", "OPTIONS", "PUT"]) : operation.method;
    const takesBody = !["GET", "HEAD", "OPTIONS"].includes(method);
    return { method, path, body: takesBody ? body : undefined, headers: this.#headers(takesBody) };
  }

  #path({ path, parameters }: Operation, example: Example): string {
    const values = parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => [parameter.name, this.#pathValue(parameter, example)] as const);
    return fillPath(path, Object.fromEntries(values));
  }

  #pathValue(parameter: Parameter, { path = {} }: Example): string {
    const { name } = parameter;
    if (this.#chance(6)) return this.#pick(JUNK);
    if (this.#chance(6)) return this.#pick(wrongValues(parameter)).texts[0] ?? "";
    return this.#chance(6) ? (ABSENT[name] ?? "") : (path[name] ?? "");
  }

  #query({ parameters }: Operation, { query = {} }: Example): string {
    const pairs = parameters
      .filter((parameter) => parameter.in === "query" && this.#chance(4))
      .map((parameter): [string, string | readonly string[]] => [parameter.name, this.#queryValue(parameter, query)]);
    if (this.#chance(30)) pairs.push([this.#pick(JUNK), this.#pick(JUNK)]);
    return queryText(Object.fromEntries(pairs));
  }

  #queryValue(parameter: Parameter, query: NonNullable<Example["query"]>): string | readonly string[] {
    const { name } = parameter;
    if (this.#chance(12)) return this.#pick(JUNK);
    if (this.#chance(8)) return this.#pick(wrongValues(parameter)).texts;
    const right = [...(PAGES[name] ?? []), ...(query[name] === undefined ? [] : [query[name]])];
    return right.length === 0 ? "" : this.#pick(right);
  }

  #body({ body: schema }: Operation, { body }: Example): string {
    if (!schema || this.#chance(8)) return this.#pick(JUNK);
    return this.#chance(3) ? this.#pick(wrongBodies(body)).body : JSON.stringify(body);
  }

  #headers(hasBody: boolean): Record<string, string> {
    const type = this.#chance(20) ? "text/plain" : "application/json";
    return {
      ...(hasBody && { "content-type": type }),
      ...(this.#chance(10) && { "if-none-match": this.#pick(["*", '"x"', 'W/"1"', ","]) }),
      ...(this.#chance(5) && { "accept-encoding": this.#pick(["gzip", "br", "identity", "gzip;q=0, *"]) }),
    };
  }

  /** True with probability 1 / n. */
  #chance(times: number): boolean {
    return this.#random.below(times) === 0;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.below(from.length)] as T;
  }
}
