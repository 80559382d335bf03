/** The gateway does not respond, or responds with an error; the message says which. */
export class RestError extends Error {
  override readonly name = "RestError";
  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

const TIMEOUT_MS = 10_000;

/** A REST client of a gateway. All methods throw {@link RestError}. */
export class RestClient {
  readonly #base: string;

  /** @param base such as `http://localhost:3000` */
  constructor(base: string) {
    this.#base = base.replace(/\/+$/, "");
  }

  /** The body of a response; `undefined` if the resource does not exist (404). */
  async find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path);
    } catch (error) {
      if (error instanceof RestError && error.status === 404) return undefined;
      throw error;
    }
  }

  get<T>(path: string): Promise<T> {
    return this.#ask(path, {});
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#send("PUT", path, body);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#send("POST", path, body);
  }

  #send<T>(method: string, path: string, body: unknown): Promise<T> {
    return this.#ask(path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  async #ask<T>(path: string, request: RequestInit): Promise<T> {
    const url = this.#base + path;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
      text = await response.text();
    } catch (error) {
      throw new RestError(`${this.#base} does not respond: ${reasonOf(error)}`, undefined, { cause: error });
    }
    const body = parseJson(text) as { message?: unknown } | undefined;
    if (response.ok && body !== undefined) return body as T;
    const problem = typeof body?.message === "string" ? body.message : "the response is not JSON of a gateway";
    throw new RestError(`${request.method ?? "GET"} ${url}: ${response.status}: ${problem}`, response.status);
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
