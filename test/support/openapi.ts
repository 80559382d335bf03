import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { dataJson } from "./test-data.js";

const ID = "symbol-openapi";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
    >
  >;
}

/** An OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Operation["responses"];
  };
}

// The package is CommonJS: its default export is nested one level deeper or not, depending on the loader.
const addFormats = ((addFormatsModule as { default?: unknown }).default ?? addFormatsModule) as (ajv: Ajv2020) => void;

function describeError(error: ErrorObject): string {
  return `${error.instancePath || "/"} ${error.message ?? error.keyword} ${JSON.stringify(error.params)}`;
}

/**
 * Where the reference gateway, and with it every client, departs from the description: importances are whole numbers, and
 * heights and scores of accounts may be 0; the status of a transaction outside of blocks has height 0;
 * before the first step of inflation, `startHeight` is `N/A`.
 */
const REFERENCE_DEVIATION =
  /\/account\/(importance|importanceHeight|publicKeyHeight|activityBuckets\/\d\/(rawScore|startHeight)) must match pattern |^(\/\d+)?\/height must match pattern |^\/startHeight must match pattern /;
/** The path in an empty tree is an empty text, which the description does not allow. */
const EMPTY_TREE = '{"raw":"","tree":[]}';

function pointer(...names: string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Tolerated deviations of answers from a description. */
interface Tolerance {
  readonly errors: RegExp;
  /** A body as JSON text. */
  readonly body: string;
}

/** A description of the REST interface, for validating answers. */
export class OpenApi {
  readonly document: Document;
  readonly #tolerance: Tolerance | undefined;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();
  /** Paths without parameters come first. */
  readonly #patterns: readonly { readonly path: string; readonly pattern: RegExp }[];

  constructor(document: Document, tolerance?: Tolerance) {
    this.document = document;
    this.#tolerance = tolerance;
    // All of them, because some may be tolerated; otherwise the first is enough, and found much faster.
    this.#ajv = new Ajv2020({ strict: false, allErrors: tolerance !== undefined });
    addFormats(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: ID });
    this.#patterns = Object.keys(document.paths)
      .sort((left, right) => left.split("{").length - right.split("{").length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/{[^/]*}/g, "[^/]*")}$`) }));
  }

  #errors(reference: string, value: unknown): string[] {
    let validator = this.#validators.get(reference);
    if (!validator) {
      validator = this.#ajv.compile({ $ref: `${ID}#${encodeURI(reference)}` });
      this.#validators.set(reference, validator);
    }
    return validator(value) ? [] : (validator.errors ?? []).map(describeError);
  }

  /** The errors of a value that should match a schema, such as `BlockInfoDTO`; empty if it is valid. */
  validate(schemaName: string, value: unknown): string[] {
    if (!this.document.components.schemas[schemaName]) throw new Error(`there is no schema ${schemaName}`);
    return this.#errors(pointer("components", "schemas", schemaName), value);
  }

  /** The fields of an object, and of the objects in it, that its schema does not mention. */
  unknownFields(schemaName: string, value: unknown): string[] {
    return this.#unknown({ $ref: `#/components/schemas/${schemaName}` }, value, "");
  }

  #resolve(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : this.document.components.schemas[name]!;
  }

  /** All properties that a schema mentions itself, or through those that it combines. */
  #properties(schema: Schema): Record<string, Schema> {
    const own = this.#resolve(schema);
    const parts = [...(own.allOf ?? []), ...(own.anyOf ?? [])].map((part) => this.#properties(part));
    return Object.assign({}, ...parts, own.properties);
  }

  #unknown(schema: Schema, value: unknown, path: string): string[] {
    const own = this.#resolve(schema);
    if (Array.isArray(value)) {
      const { items } = own;
      return items ? value.flatMap((item, index) => this.#unknown(items, item, `${path}/${index}`)) : [];
    }
    if (typeof value !== "object" || value === null || own.additionalProperties) return [];
    const properties = this.#properties(own);
    return Object.entries(value).flatMap(([name, field]) => {
      const property = properties[name];
      return property ? this.#unknown(property, field, `${path}/${name}`) : [`${path}/${name}`];
    });
  }

  /** The path of the description that a request's path (without query) matches; those without parameters come first. */
  pathOf(requestPath: string): string | undefined {
    return this.#patterns.find(({ pattern }) => pattern.test(requestPath))?.path;
  }

  /**
   * The errors of an answer; empty if it is valid, apart from tolerated ones. `path` is that of the request, with or without a query.
   * A status that the description does not list is validated by `default`, and is an error without one.
   */
  validateResponse(method: string, path: string, status: number, body: unknown): string[] {
    const template = this.pathOf(path.split("?")[0]!);
    if (template === undefined) return [`${path} is no path of the description`];
    const operation = this.document.paths[template]![method.toLowerCase()];
    if (!operation) return [`${template} has no ${method}`];
    const key = [`${status}`, "default"].find((one) => operation.responses[one]);
    if (key === undefined) return [`${method} ${template} does not answer ${status}`];
    const response = operation.responses[key]!;
    const place = response.$ref
      ? pointer("components", "responses", response.$ref.split("/").at(-1)!)
      : pointer("paths", template, method.toLowerCase(), "responses", key);
    const resolved = response.$ref ? this.document.components.responses![response.$ref.split("/").at(-1)!]! : response;
    if (!resolved.content?.["application/json"]?.schema) return [];
    if (this.#tolerance && JSON.stringify(body) === this.#tolerance.body) return [];
    const errors = this.#errors(`${place}${pointer("content", "application/json", "schema")}`, body);
    return errors.filter((error) => !this.#tolerance?.errors.test(error));
  }
}

let published: OpenApi | undefined;

/** What the published description of the REST interface (symbol-openapi 1.0.5) requires. */
export function publishedApi(): OpenApi {
  published ??= new OpenApi(dataJson("published-api.json.gz"), { errors: REFERENCE_DEVIATION, body: EMPTY_TREE });
  return published;
}
