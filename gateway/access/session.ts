import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const COOKIE = "symbol-gateway-session";
/** Duration of a session, in seconds. */
const LIFETIME_S = 12 * 3_600;
const NONCE_BYTES = 12;
const FORM = /^([0-9a-z]{1,11}\.[\w-]{1,32})\.([\w-]{43})$/;

/**
 * Sessions of browsers that have sent the token. Nothing is stored: a session is its expiry time, signed with a key
 * derived from the token, so every worker and gateway with the same token accepts it, and none does after the token
 * changes.
 */
export class Sessions {
  readonly #key: Buffer;
  readonly #clock: () => number;

  /** @param clock Unix milliseconds */
  constructor(token: string, clock: () => number = Date.now) {
    this.#key = createHmac("sha256", token).update("symbol-gateway session").digest();
    this.#clock = clock;
  }

  /** A `Set-Cookie` header with a new session. @param isSecure whether to send it over TLS only */
  begin(isSecure: boolean): string {
    const end = Math.floor(this.#clock() / 1_000) + LIFETIME_S;
    const content = `${end.toString(36)}.${randomBytes(NONCE_BYTES).toString("base64url")}`;
    return setCookie(`${content}.${this.#sign(content).toString("base64url")}`, LIFETIME_S, isSecure);
  }

  /** Whether a request has a valid session that has not expired. */
  isOpen({ headers }: IncomingMessage): boolean {
    const [, content, signature] = FORM.exec(readCookie(headers.cookie ?? "") ?? "") ?? [];
    if (content === undefined || signature === undefined) return false;
    const given = Buffer.from(signature, "base64url");
    const [end = ""] = content.split(".");
    const own = this.#sign(content);
    return given.length === own.length && timingSafeEqual(given, own) && parseInt(end, 36) * 1_000 > this.#clock();
  }

  #sign(content: string): Buffer {
    return createHmac("sha256", this.#key).update(content).digest();
  }
}

/** A `Set-Cookie` header that deletes the session in the browser. */
export function endSession(isSecure: boolean): string {
  return setCookie("", 0, isSecure);
}

function setCookie(value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function readCookie(header: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}
