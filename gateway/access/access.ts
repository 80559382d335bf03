import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { ApiError, invalidContent } from "../../schema/services/errors.js";
import { isFromOtherOrigin, isLocal } from "./origin.js";
import { Sessions } from "./session.js";

export interface AccessOptions {
  /** Required by `/graphql` and `/dashboard`. */
  readonly token?: string | undefined;
  /** Without a token: whether local callers are served. For development; never behind a proxy. */
  readonly answersLocalCallers?: boolean | undefined;
}

/** Who may use `/graphql` and `/dashboard`. */
export class Access {
  readonly #token: string | undefined;
  readonly #answersLocalCallers: boolean;
  /** Sessions of browsers; undefined without a token to sign in with. */
  readonly sessions: Sessions | undefined;

  constructor({ token, answersLocalCallers = false }: AccessOptions) {
    this.#token = token;
    this.#answersLocalCallers = answersLocalCallers;
    this.sessions = token === undefined ? undefined : new Sessions(token);
  }

  /** Whether access is disabled for all: a gateway without a token. */
  get isClosed(): boolean {
    return this.#token === undefined && !this.#answersLocalCallers;
  }

  /** Whether a request may read the pages. */
  mayRead(request: IncomingMessage): boolean {
    if (this.isBearer(request.headers.authorization)) return true;
    return this.sessions ? this.sessions.isOpen(request) : this.#answersLocalCallers && isLocal(request);
  }

  /**
   * Whether a request may run operations. What a browser adds automatically (a session, its local address) is ignored
   * for pages of other origins, which could misuse it.
   */
  mayUse(request: IncomingMessage): boolean {
    return this.isBearer(request.headers.authorization) || (!isFromOtherOrigin(request) && this.mayRead(request));
  }

  /** Whether a text is `Bearer` and the token. */
  isBearer(text: unknown): boolean {
    const match = typeof text === "string" ? /^Bearer (.+)$/i.exec(text) : null;
    return match?.[1] !== undefined && this.isToken(match[1]);
  }

  /** Whether a text is the token. */
  isToken(text: string): boolean {
    // Digests have a fixed length, so the time of the comparison reveals nothing.
    return this.#token !== undefined && timingSafeEqual(digest(text), digest(this.#token));
  }

  /** The error for a rejected request; it says how to get access. */
  forbidden(request?: IncomingMessage): ApiError {
    if (this.isClosed) {
      return new ApiError("Forbidden", "/graphql and /dashboard are disabled: set GRAPHQL_TOKEN to enable them");
    }
    if (request && this.mayRead(request)) {
      const message = "pages of another origin may not use /graphql; a proxy in front must pass Host unchanged";
      return new ApiError("Forbidden", message);
    }
    const how = this.sessions
      ? "require the token: send Authorization: Bearer <GRAPHQL_TOKEN>, or sign in at /sign-in with a browser"
      : "serve local callers only: set GRAPHQL_TOKEN to open them to others";
    return new ApiError("Forbidden", `/graphql and /dashboard ${how}`);
  }
}

/** Rejects targets that are whole URLs, which only clients of a proxy send, and which would name another host. */
export const requirePath: RequestHandler = ({ url }, _response, next) => {
  if (!url.startsWith("/")) throw invalidContent("the request target", "a path");
  next();
};

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
