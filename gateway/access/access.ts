import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { ApiError, invalidContent } from "../../schema/services/errors.js";
import { isFromOtherOrigin, isLocal } from "./origin.js";
import { Sessions } from "./session.js";

export interface AccessOptions {
  /** Opens `/graphql` and `/dashboard` to callers that show it, and to nobody else. */
  readonly token?: string | undefined;
  /** Without a token: whether callers on this machine are answered. For development; never behind a proxy. */
  readonly answersLocalCallers?: boolean | undefined;
}

/** Who may use `/graphql` and `/dashboard`. */
export class Access {
  readonly #token: string | undefined;
  readonly #answersLocalCallers: boolean;
  /** Of browsers; undefined where there is no token to sign in with. */
  readonly sessions: Sessions | undefined;

  constructor({ token, answersLocalCallers = false }: AccessOptions) {
    this.#token = token;
    this.#answersLocalCallers = answersLocalCallers;
    this.sessions = token === undefined ? undefined : new Sessions(token);
  }

  /** Whether nobody at all may: a gateway without a token. */
  get isClosed(): boolean {
    return this.#token === undefined && !this.#answersLocalCallers;
  }

  /** Whether a request may read the pages. */
  mayRead(request: IncomingMessage): boolean {
    if (this.isBearer(request.headers.authorization)) return true;
    return this.sessions ? this.sessions.isOpen(request) : this.#answersLocalCallers && isLocal(request);
  }

  /**
   * Whether a request may run operations. What a browser adds by itself (a session, its being here) does not count for
   * pages of other origins, which could use it without their reader's will.
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
    // Digests have one length, so the comparison reveals nothing by its time.
    return this.#token !== undefined && timingSafeEqual(digest(text), digest(this.#token));
  }

  /** The error for a caller that may not; it says how to get in. */
  forbidden(request?: IncomingMessage): ApiError {
    if (this.isClosed) {
      return new ApiError("Forbidden", "/graphql and /dashboard are disabled here: set GRAPHQL_TOKEN to enable them");
    }
    if (request && this.mayRead(request)) {
      const message = "pages of another origin may not use /graphql; a proxy in front must pass Host on unchanged";
      return new ApiError("Forbidden", message);
    }
    const how = this.sessions
      ? "require the token: send Authorization: Bearer <GRAPHQL_TOKEN>, or sign in at /sign-in with a browser"
      : "answer callers on the gateway's own machine only: set GRAPHQL_TOKEN to open them to others";
    return new ApiError("Forbidden", `/graphql and /dashboard ${how}`);
  }
}

/** Rejects targets that are whole URLs, which no client but a proxy's sends, and which would name another host. */
export const requirePath: RequestHandler = ({ url }, _response, next) => {
  if (!url.startsWith("/")) throw invalidContent("the request target", "a path");
  next();
};

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
