import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { ApiError } from "../../schema/errors/errors.js";
import { RateLimit } from "../../schema/limits/rate-limit.js";
import { tooManyRequests } from "../clients/clients.js";
import { exchangeOf } from "../http/exchange.js";
import { isFromOtherOrigin, isLocal } from "./origin.js";
import { type NamedToken, Sessions } from "./session.js";

/** Attempts to guess the token per client: 5, then one per 10 s. */
const ATTEMPTS = { perSecond: 0.1, burst: 5 };
const MS_PER_SECOND = 1_000;

export interface AccessOptions {
  /** One of them is required by `/graphql` and `/explorer`; default none. */
  readonly tokens?: readonly NamedToken[] | undefined;
  /** Without a token: whether local callers are served. For development; never behind a proxy. */
  readonly answersLocalCallers?: boolean | undefined;
}

/** Who may use `/graphql` and `/explorer`. */
export class Access {
  readonly #digests: readonly { readonly name: string; readonly digest: Buffer }[];
  readonly #answersLocalCallers: boolean;
  readonly #lastUses = new Map<string, number>();
  /** Attempts to sign in, and requests with a wrong token. */
  readonly attempts = new RateLimit(ATTEMPTS);
  /** Sessions of browsers; undefined without a token to sign in with. */
  readonly sessions: Sessions | undefined;

  constructor({ tokens = [], answersLocalCallers = false }: AccessOptions) {
    this.#digests = tokens.map(({ name, token }) => ({ name, digest: digest(token) }));
    this.#answersLocalCallers = answersLocalCallers;
    this.sessions = tokens.length === 0 ? undefined : new Sessions(tokens);
    for (const { name } of tokens) this.#lastUses.set(name, 0);
  }

  /** When each token was used last, itself or by a session, in Unix seconds; 0 = not since the start. */
  get lastUses(): ReadonlyMap<string, number> {
    return this.#lastUses;
  }

  /** Whether access is disabled for all: a gateway without a token. */
  get isClosed(): boolean {
    return !this.sessions && !this.#answersLocalCallers;
  }

  /** Whether a request may read the pages. */
  mayRead(request: IncomingMessage): boolean {
    if (this.isBearer(request.headers.authorization)) return true;
    if (!this.sessions) return this.#answersLocalCallers && isLocal(request);
    return this.#noteUse(this.sessions.nameOf(request)) !== undefined;
  }

  /**
   * Whether a request may run operations. What a browser adds automatically (a session, its local address) is ignored
   * for pages of other origins, which could misuse it.
   */
  mayUse(request: IncomingMessage): boolean {
    return this.isBearer(request.headers.authorization) || (!isFromOtherOrigin(request) && this.mayRead(request));
  }

  /**
   * Counts a text that may be a guess of the token: `Bearer` and a wrong one. The right token always works, whatever others
   * send from the same address.
   * @param guesser as by {@link identifyGuesser}
   * @returns the error after too many of them
   */
  checkGuess(text: unknown, guesser: string): ApiError | undefined {
    const guess = parseBearer(text);
    if (guess === undefined || !this.sessions || this.nameOf(guess) !== undefined) return undefined;
    const seconds = this.attempts.take(guesser);
    return seconds === undefined ? undefined : tooManyRequests(seconds);
  }

  /** Rejects requests that guess the token too often. */
  readonly limitGuesses: RequestHandler = (request, response, next) => {
    const guesser = identifyGuesser(request, exchangeOf(response).client);
    const error = this.checkGuess(request.headers.authorization, guesser);
    if (!error) return next();
    response.setHeader("Retry-After", this.attempts.wait(guesser) ?? 1);
    throw error;
  };

  /** Whether a text is `Bearer` and a token. */
  isBearer(text: unknown): boolean {
    const token = parseBearer(text);
    return token !== undefined && this.nameOf(token) !== undefined;
  }

  /** The name of the token that a text is; undefined if it is none. */
  nameOf(text: string): string | undefined {
    // Digests have a fixed length, so the time of the comparison reveals nothing.
    const given = digest(text);
    return this.#noteUse(this.#digests.find((one) => timingSafeEqual(given, one.digest))?.name);
  }

  #noteUse(name: string | undefined): string | undefined {
    if (name !== undefined) this.#lastUses.set(name, Math.floor(Date.now() / MS_PER_SECOND));
    return name;
  }

  /** The error for a rejected request; it says how to get access. */
  forbidden(request?: IncomingMessage): ApiError {
    if (this.isClosed) {
      return new ApiError("Forbidden", "/graphql and /explorer are disabled: set GRAPHQL_TOKEN to enable them");
    }
    if (request && this.mayRead(request)) {
      const message = "pages of another origin may not use /graphql; a proxy in front must pass Host unchanged";
      return new ApiError("Forbidden", message);
    }
    const how = this.sessions
      ? "require a token: send Authorization: Bearer <GRAPHQL_TOKEN>, or sign in at /sign-in with a browser"
      : "serve local callers only: set GRAPHQL_TOKEN to open them to others";
    return new ApiError("Forbidden", `/graphql and /explorer ${how}`);
  }
}

/** For whom guesses are counted: a client at a port. Those at the public port do not count at the one for operators. */
export function identifyGuesser({ socket }: IncomingMessage, client: string): string {
  return `${socket.localPort} ${client}`;
}

function parseBearer(text: unknown): string | undefined {
  return typeof text === "string" ? /^Bearer (.+)$/i.exec(text)?.[1] : undefined;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
