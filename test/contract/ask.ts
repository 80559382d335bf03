import type { Example, Query, Texts } from "./examples.js";
import type { Operation } from "./operations.js";

/** The request, for messages of failed tests. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

export interface ContractAnswer {
  readonly asked: Asked;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The body as JSON, undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
  readonly json: any;
}

/** The path of an operation with values in it, encoded. */
export function fillPath(template: string, values: Texts): string {
  return template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** The query string; a list repeats the parameter. */
export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs as [string, string][])}`;
}

/** Requests an operation as in an example, with some of the query parameters, or with another body. */
export async function ask(
  url: string,
  operation: Operation,
  example: Example,
  query: Query = {},
  body: unknown = example.body,
): Promise<ContractAnswer> {
  const path = `${fillPath(operation.path, example.path ?? {})}${queryText(query)}`;
  return askRaw(url, {
    method: operation.method,
    path,
    body: operation.method === "GET" ? undefined : JSON.stringify(body),
  });
}

/** The first bytes of an answer that has no end. */
async function beginning({ body }: Response): Promise<string> {
  const reader = body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []).toString();
}

/** Sends any request; a body is sent as JSON. */
export async function askRaw(url: string, asked: Asked): Promise<ContractAnswer> {
  const { method, path, body } = asked;
  const init = body === undefined ? { method } : { method, body, headers: { "content-type": "application/json" } };
  const response = await fetch(`${url}${path}`, init);
  const contentType = response.headers.get("content-type") ?? "";
  const text = contentType.startsWith("text/event-stream") ? await beginning(response) : await response.text();
  const json = contentType.startsWith("application/json") && text !== "" ? JSON.parse(text) : undefined;
  return { asked, status: response.status, contentType, text, json };
}
