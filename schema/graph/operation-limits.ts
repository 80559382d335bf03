import { type DatabaseWatch, forOperation, readTogether } from "../../database/statement.js";
import { type ApiError, invalidArgument } from "../services/errors.js";
import type { Context, Services } from "./context.js";

/** What one operation may take: lists within lists multiply, and the depth of a document does not bound them. */
export const operationLimits = { statements: 1_000, rows: 20_000 };

/** The context of an operation of a user, which ends when it takes more than it may. */
export function operationContext(services: Services, limits = operationLimits): Context {
  const taken = { statements: 0, rows: 0 };
  const end = (what: string): never => {
    const error = tooMuch(what);
    services.end?.(error);
    throw error;
  };
  const watch: DatabaseWatch = {
    onStatement: () => {
      taken.statements += 1;
      if (taken.statements > limits.statements) end(`${limits.statements} database statements`);
    },
    onRows: (count) => {
      taken.rows += count;
      if (taken.rows > limits.rows) end(`${limits.rows} database rows`);
    },
  };
  const db = forOperation(services.db, watch);
  readTogether(db);
  return { ...services, db, taken };
}

/** The error for an operation that takes more than it may. */
export function tooMuch(what: string): ApiError {
  return invalidArgument(`the operation needs more than ${what}: request less at once`);
}
