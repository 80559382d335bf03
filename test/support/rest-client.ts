import { expect } from "@jest/globals";
import type { OpenApi } from "./openapi.js";
import { ownOpenApi } from "./own-openapi.js";

/** A page of a list. */
export interface RestPage<Entry> {
  readonly data: readonly Entry[];
  readonly pagination: {
    readonly pageNumber: number;
    readonly pageSize: number;
    readonly totalEntries: number;
    readonly totalPages: number;
  };
}

/** Queries a gateway, and validates each answer against our own description of the interface and the published one. */
export class RestClient {
  /** Without a trailing slash. */
  readonly url: string;
  readonly #api: OpenApi | undefined;
  /** Number of answers validated against the description. */
  validated = 0;

  /**
   * @param url without a trailing slash
   * @param api the published description; omitted if it is absent
   */
  constructor(url: string, api: OpenApi | undefined) {
    this.url = url;
    this.#api = api;
  }

  /** The body with status 200, or another one that is expected. */
  async get<Body>(path: string, status = 200): Promise<Body> {
    return this.#ask("GET", path, status);
  }

  async post<Body>(path: string, body: unknown, status = 200): Promise<Body> {
    const headers = { "content-type": "application/json" };
    return this.#ask("POST", path, status, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /**
   * Every entry of a list, page by page until their number equals its total.
   * @param query further arguments, such as `order=asc`
   */
  async all<Entry>(path: string, query: Record<string, string | number> = {}): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let pageNumber = 1; ; pageNumber++) {
      const page = await this.page<Entry>(path, { pageSize: 100, ...query, pageNumber });
      entries.push(...page.data);
      if (pageNumber >= page.pagination.totalPages) {
        expect({ path, query, count: entries.length }).toEqual({ path, query, count: page.pagination.totalEntries });
        return entries;
      }
    }
  }

  page<Entry>(path: string, query: Record<string, string | number> = {}): Promise<RestPage<Entry>> {
    const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return this.get(`${path}?${text}`);
  }

  async #ask<Body>(method: string, path: string, status: number, init: RequestInit = {}): Promise<Body> {
    // Compressing what is read at once takes longer than sending it.
    const headers = { "accept-encoding": "identity", ...(init.headers as Record<string, string>) };
    const response = await fetch(`${this.url}${path}`, { ...init, headers });
    const text = await response.text();
    const shown = { method, path, body: init.body };
    expect({ ...shown, status: response.status, text: response.status === status ? "" : text }).toEqual({
      ...shown,
      status,
      text: "",
    });
    const body = JSON.parse(text) as Body;
    if (this.#api) this.validated += 1;
    for (const api of [ownOpenApi(), this.#api]) {
      const problems = api?.validateResponse(method, path, status, body) ?? [];
      expect({ ...shown, problems }).toEqual({ ...shown, problems: [] });
    }
    return body;
  }
}

/** An answer of a gateway. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every form.
  readonly body: any;
}

export async function request(url: string, init: RequestInit = {}): Promise<TestAnswer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** Sends JSON, or a text as it is. */
export function sendJson(method: string, url: string, body: unknown, headers: object = {}): Promise<TestAnswer> {
  return request(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** The data of an answer to a query of GraphQL. @throws Error with the first message of one that has failed */
// biome-ignore lint/suspicious/noExplicitAny: answers have the form of their queries.
export async function askGraphql(url: string, query: string): Promise<any> {
  const { data, errors } = (await sendJson("POST", `${url}/graphql`, { query })).body;
  if (errors) throw new Error(errors[0].message);
  return data;
}
