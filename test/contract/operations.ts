import type { OpenApi } from "../support/openapi.js";

/** A schema of the description, with the inputs of negative cases. */
export interface ParameterSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: ParameterSchema;
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly schema: ParameterSchema;
}

/** An operation of the published description, references resolved. */
export interface Operation {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PUT";
  /** As in the description: `/blocks/{height}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Of the JSON body; undefined if it has none. */
  readonly body: ParameterSchema | undefined;
  /** Statuses that the description names. */
  readonly statuses: readonly number[];
  /** Content types of the answer with status 200. */
  readonly mediaTypes: readonly string[];
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly $ref?: string };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ParameterSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly requestBodies: Readonly<
      Record<string, { readonly content: { readonly "application/json": { readonly schema: ParameterSchema } } }>
    >;
  };
}

const METHODS = ["get", "post", "put"] as const;

/** Every operation of the description, in its order. */
export function operationsOf(api: OpenApi): readonly Operation[] {
  const { paths, components } = api.document as unknown as RawDocument;
  const nameOf = (reference: string) => reference.split("/").at(-1) ?? "";
  const resolve = (schema: ParameterSchema): ParameterSchema => {
    const own = schema.$ref ? resolve(components.schemas[nameOf(schema.$ref)] as ParameterSchema) : schema;
    return {
      ...own,
      ...(own.items && { items: resolve(own.items) }),
      ...(own.properties && {
        properties: Object.fromEntries(Object.entries(own.properties).map(([name, one]) => [name, resolve(one)])),
      }),
    };
  };
  const operations: Operation[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of METHODS) {
      const raw = methods[method];
      if (!raw) continue;
      const parameters = (raw.parameters ?? []).map((one) =>
        one.$ref ? (components.parameters[nameOf(one.$ref)] as Parameter) : one,
      );
      const body = raw.requestBody?.$ref && components.requestBodies[nameOf(raw.requestBody.$ref)];
      operations.push({
        operationId: raw.operationId,
        method: method.toUpperCase() as Operation["method"],
        path,
        parameters: parameters.map((parameter) => ({ ...parameter, schema: resolve(parameter.schema) })),
        body: body ? resolve(body.content["application/json"].schema) : undefined,
        statuses: Object.keys(raw.responses).map(Number),
        mediaTypes: Object.keys(raw.responses["200"]?.content ?? {}),
      });
    }
  }
  return operations;
}
