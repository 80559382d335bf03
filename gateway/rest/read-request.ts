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

/** The part of a URL after its question mark. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}
