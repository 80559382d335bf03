import { ApiError } from "../../schema/services/errors.js";
import type { RawArguments } from "./read-arguments.js";
import type { Arguments } from "./routes/argument.js";

/*
 * How catapult-rest 2.5.0 words its errors. Source: `client/rest/src/routes` and `client/rest/src/server` of
 * symbol/symbol.
 */

const hasInvalidFormat = (name: string) => `${name} has an invalid format`;

function textOf(name: string, { path, query }: RawArguments): string {
  return path[name] ?? new URLSearchParams(query).getAll(name).join();
}

/** An error about an argument as catapult-rest reports it; any other error unchanged. */
export function toReferenceError(error: unknown, args: Arguments, raw: RawArguments): unknown {
  if (!(error instanceof ApiError) || error.argument === undefined) return error;
  const name = error.argument.replace(/\[\d+\]$/, "");
  const argument = args[name];
  if (!argument) return error;
  const { referenceMessage = hasInvalidFormat } = argument.type;
  const message = argument.list
    ? `element in array ${name} has an invalid format`
    : referenceMessage(name, textOf(name, raw));
  return new ApiError("InvalidArgument", message, { cause: error });
}
