import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const COOKIE = "symbol-gateway-session";
/** Duration of a session, in seconds. */
const LIFETIME_S = 12 * 3_600;
const NONCE_BYTES = 12;
const FORM = /^([0-9a-z]{1,11}\.[\w-]{1,32})\.([\w-]{43})$/;

/** A token, and the name by which the operator knows its user. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

/**
 * Sessions of browsers that have sent a token. Nothing is stored: a session is its expiry time, signed with a key
 * derived from the token, so every gateway with the same token accepts it, and none does after the token
 * was changed or removed.
 */
export class Sessions {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #clock: () => number;

  /** @param clock Unix milliseconds */
  constructor(tokens: readonly NamedToken[], clock: () => number = Date.now) {
    const keyOf = (token: string) => createHmac("sha256", token).update("symbol-gateway session").digest();
    this.#keys = new Map(tokens.map(({ name, token }) => [name, keyOf(token)]));
    this.#clock = clock;
  }

  /**
   * A `Set-Cookie` header with a new session.
   * @param name of the token
   * @param isSecure whether to send it over TLS only
   * @throws RangeError when there is no such token
   */
  begin(name: string, isSecure: boolean): string {
    const key = this.#keys.get(name);
    if (!key) throw new RangeError(`there is no token ${name}`);
    const end = Math.floor(this.#clock() / 1_000) + LIFETIME_S;
    const content = `${end.toString(36)}.${randomBytes(NONCE_BYTES).toString("base64url")}`;
    return setCookie(`${content}.${sign(key, content).toString("base64url")}`, LIFETIME_S, isSecure);
  }

  /** The name of the token by which a request has a valid session; undefined if it has none, or one that has expired. */
  nameOf({ headers }: IncomingMessage): string | undefined {
    const [, content, signature] = FORM.exec(readCookie(headers.cookie ?? "") ?? "") ?? [];
    if (content === undefined || signature === undefined) return undefined;
    const given = Buffer.from(signature, "base64url");
    const [end = ""] = content.split(".");
    if (parseInt(end, 36) * 1_000 <= this.#clock()) return undefined;
    const isBy = (key: Buffer) => {
      const own = sign(key, content);
      return given.length === own.length && timingSafeEqual(given, own);
    };
    return [...this.#keys].find(([, key]) => isBy(key))?.[0];
  }
}

function sign(key: Buffer, content: string): Buffer {
  return createHmac("sha256", key).update(content).digest();
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
