import type { ErrorRequestHandler, IRouter } from "express";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { Services } from "../../schema/graph/context.js";
import type { Access } from "../access/access.js";
import type { ResponseCache } from "../http/response-cache.js";

/** What the gateway lends to its extensions. */
export interface ExtensionTools {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly log: Logger;
  /** Version of this program. */
  readonly version: string;
  /** Who may use what is for operators. */
  readonly access: Access;
  /** Public answers that are the same until the database changes. */
  readonly cache: ResponseCache;
  /** Paths of REST routes and of all other interfaces on this port. */
  readonly otherPaths: readonly string[];
}

/** An interface of another room, such as Mesh, that the gateway serves beside its own. */
export interface Extension {
  /** All its paths are this one, or below it: `/mesh`. */
  readonly path: string;
  /** Whether it is on the port for operators, if there is one. */
  readonly isForOperators: boolean;
  /**
   * Adds its routes.
   * @returns the handler of all errors below its path, if they have a form of their own
   * @throws Error when it cannot be served, such as at the path of another interface
   */
  serve(router: IRouter, tools: ExtensionTools): ErrorRequestHandler | undefined;
}
