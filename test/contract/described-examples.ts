import { Ajv } from "ajv";
import type { Document } from "../support/openapi.js";
import { fillPath } from "./ask.js";

interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: object;
  readonly example?: unknown;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: object; example?: unknown }>> };
}

/** A request with the examples of an operation, and what is wrong with them. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly problems: readonly string[];
}

/** The requests that a description gives complete examples of. */
export function exampleRequests({ paths }: Document): ExampleRequest[] {
  const ajv = new Ajv({ strict: false });
  const problemsOf = (schema: object, example: unknown): string[] =>
    ajv.validate(schema, example) ? [] : [`${JSON.stringify(example)}: ${ajv.errorsText()}`];
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods as unknown as Record<string, DescribedOperation>).flatMap(([method, operation]) => {
      const { operationId, parameters = [], requestBody } = operation;
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      const body = requestBody?.content["application/json"];
      const given = parameters.filter(({ example }) => example !== undefined);
      const needed = inPath.length + (requestBody ? 1 : 0);
      const found = given.length + (body?.example === undefined ? 0 : 1);
      if (needed === 0 || found < needed) return [];
      const values = Object.fromEntries(inPath.map(({ name, example }) => [name, String(example)]));
      const problems = [
        ...given.flatMap(({ schema, example }) => problemsOf(schema, example)),
        ...(body?.example === undefined ? [] : problemsOf(body.schema, body.example)),
      ];
      const text = body?.example === undefined ? undefined : JSON.stringify(body.example);
      return [{ operationId, method: method.toUpperCase(), path: fillPath(template, values), body: text, problems }];
    }),
  );
}
