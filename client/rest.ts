import { GatewayError } from "./gateway-error.js";

/** A request of any operation. */
export interface AnyRequest {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request and reads the answer.
 * @param template path as in OpenAPI, such as `/blocks/{height}`
 * @throws GatewayError for an answer with an error; the error of `fetch` if there is no answer
 */
export async function send(
  base: string,
  fetcher: typeof fetch,
  method: string,
  template: string,
  { path = {}, query = {}, body, signal }: AnyRequest,
): Promise<unknown> {
  const values = path as Readonly<Record<string, unknown>>;
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const response = await fetcher(`${base}${filled}${queryText(query)}`, {
    method,
    ...(signal && { signal }),
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  const value = isJson ? parse(text) : text;
  if (response.ok) return value;
  const { code, message } = (value ?? {}) as { code?: string; message?: string };
  throw new GatewayError(code ?? "Unknown", message ?? `${method} ${filled}: ${response.status}`, response.status);
}

/** A list is a repeated parameter; what is undefined or null is omitted. */
function queryText(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one): [string, string][] => (one == null ? [] : [[name, String(one)]])),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
