import type { Request } from "express";
import { invalidArgument } from "../../schema/services/errors.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import { withoutCrossedBounds } from "../compatibility/crossed-bounds.js";
import { type RawArguments, readArguments } from "./read-arguments.js";
import { toReferenceError } from "./reference-error.js";
import type { Route, RouteWork } from "./routes/route.js";

type OperationWork = Extract<RouteWork, { operation: string }>;

/** Parses a request into the variables of a route's operation. @throws ApiError in the wording of the mode */
export function readRequest(
  route: Route,
  work: Pick<OperationWork, "referenceCheck" | "variables">,
  raw: RawArguments,
  behaviour: Behaviour,
) {
  try {
    const given = readArguments(route.arguments, raw, behaviour);
    const problem = behaviour.usesReferenceMessages ? work.referenceCheck?.(given) : undefined;
    if (problem !== undefined) throw invalidArgument(problem);
    const values = behaviour.findsNothingBetweenCrossedBounds ? withoutCrossedBounds(given) : given;
    return { values, variables: work.variables(values, behaviour) };
  } catch (error) {
    throw behaviour.malformedIsUnacceptable ? toReferenceError(error, route.arguments, raw) : error;
  }
}

/** The raw arguments of a request. */
export function rawArguments(request: Request): RawArguments {
  const path = request.params as Record<string, string>;
  return { path, query: queryOf(request), headers: request.headers, body: request.body as unknown };
}

/** The part of a URL after its question mark. */
function queryOf({ url }: Request): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}
