import express, { type RequestHandler } from "express";
import { ApiError, invalidContent } from "../../schema/errors/errors.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import { referenceMediaType } from "../compatibility/reference-messages.js";

/** Maximum size of a body after decompression, in bytes. An aggregate of 100 transfers with the longest messages has a quarter of it in hex. */
export const BODY_BYTES = 1_048_576;
/**
 * Maximum number of values in a body: ten times as many as in any list of a request. More would take time and memory
 * to parse.
 */
const MAX_VALUES = 10_000;
/** Lists and objects within each other: what reads a value as a whole would run out of stack far above it. */
const MAX_DEPTH = 100;
const JSON_TYPE = "application/json";
/** A parameter of a media type. */
const UTF_8 = /;\s*charset\s*=\s*"?utf-?8"?\s*(;|$)/i;
const COMMA = 0x2c;
const OPENING = [0x5b, 0x7b];

/** Parses a JSON body. */
export function jsonBody(behaviour?: Behaviour): readonly RequestHandler[] {
  return [
    requireJson(behaviour?.usesReferenceMessages === true),
    express.json({ limit: BODY_BYTES, type: () => true, strict: false, verify: limitValues }),
    (request, _response, next) => {
      requireShallow("the body", request.body);
      next();
    },
  ];
}

function requireJson(usesReferenceMessages: boolean): RequestHandler {
  return (request, _response, next) => {
    const { "content-type": given = "" } = request.headers;
    const [type = ""] = given.split(";");
    if (type.trim().toLowerCase() !== JSON_TYPE) {
      throw usesReferenceMessages
        ? referenceMediaType(given || undefined)
        : new ApiError("UnsupportedMediaType", "Content-Type must be application/json");
    }
    // Some clients write it without the hyphen, which the parser does not know, as little as the other name of gzip.
    if (UTF_8.test(given)) request.headers["content-type"] = JSON_TYPE;
    if (request.headers["content-encoding"]?.toLowerCase() === "x-gzip") request.headers["content-encoding"] = "gzip";
    next();
  };
}

/** @throws ApiError InvalidContent naming a value that has too many lists and objects within each other */
export function requireShallow(name: string, value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; ++depth) {
    if (depth > MAX_DEPTH) throw invalidContent(name, `nested at most ${MAX_DEPTH} deep`);
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
}

/** @throws ApiError PayloadTooLarge for a body with too many lists, objects or entries of them */
function limitValues(_request: unknown, _response: unknown, body: Buffer): void {
  for (const sign of [COMMA, ...OPENING]) {
    let count = 0;
    for (let index = body.indexOf(sign); index >= 0; index = body.indexOf(sign, index + 1)) {
      count += 1;
      if (count > MAX_VALUES) throw new ApiError("PayloadTooLarge", `the body has more than ${MAX_VALUES} values`);
    }
  }
}
