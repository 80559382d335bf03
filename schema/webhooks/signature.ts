import { createHmac, randomBytes } from "node:crypto";
import { invalidContent } from "../errors/errors.js";

/** Of secrets as text: Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const PREFIX = "whsec_";
/** Bytes of a secret, as there. */
const SECRET_BYTES = { min: 24, max: 64, ours: 32 } as const;

/** A new secret. */
export function createSecret(): Buffer {
  return randomBytes(SECRET_BYTES.ours);
}

/** A secret as text: `whsec_` and base64. */
export function formatSecret(secret: Buffer): string {
  return PREFIX + secret.toString("base64");
}

/** @throws ApiError InvalidContent when the text is no secret of 24 to 64 bytes */
export function parseSecret(text: string): Buffer {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  const secret = Buffer.from(encoded, "base64");
  const isWhole =
    /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) &&
    secret.toString("base64").replace(/=+$/, "") === encoded.replace(/=+$/, "");
  if (isWhole && secret.length >= SECRET_BYTES.min && secret.length <= SECRET_BYTES.max) return secret;
  throw invalidContent("secret", `${PREFIX} followed by ${SECRET_BYTES.min} to ${SECRET_BYTES.max} bytes in base64`);
}

/** Headers of Standard Webhooks for a message: its id, the time of the attempt, and its signature. */
export function signedHeaders(id: string, body: string, secret: Buffer, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
