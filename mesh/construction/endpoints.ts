import type { Endpoint } from "../standard/endpoint.js";
import { combine } from "./combine.js";
import { derive } from "./derive.js";
import { hash } from "./hash.js";
import { metadata } from "./metadata.js";
import { parse } from "./parse.js";
import { payloads } from "./payloads.js";
import { preprocess } from "./preprocess.js";
import { submit } from "./submit.js";

/** Every endpoint that creates transactions. */
export const constructionEndpoints: readonly Endpoint[] = [
  derive,
  preprocess,
  metadata,
  payloads,
  parse,
  combine,
  hash,
  submit,
];
