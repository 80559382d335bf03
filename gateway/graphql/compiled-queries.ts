import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  OperationTypeNode,
  parseType,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import type { Context } from "../../schema/graph/context.js";
import { limitResult, PROTOTYPE } from "./protection.js";
import type { RequestedOperation } from "./read-request.js";

/** Maximum number of entries. */
const MAX_DOCUMENTS = 50;
/** Longer texts are not cached: parsed, they take a hundred times their length. */
const MAX_CACHED_LENGTH = 8_192;

/** Caches results for document texts, least recently used first out, so documents of strangers take bounded memory. */
export function documentCache<Value extends object>(): LRUCache<string, Value> {
  return new LRUCache<string, Value>({
    max: MAX_DOCUMENTS,
    maxEntrySize: MAX_CACHED_LENGTH,
    sizeCalculation: (_value, text) => text.length || 1,
  });
}

/** Longer documents are not compiled: one of 4.6 kB takes 13 ms and 640 KiB. */
const MAX_LENGTH = 4_096;

/** A query of a user, compiled. */
type CompiledQuery = (
  context: Context,
  variables: RequestedOperation["variables"],
) => ExecutionResult | Promise<ExecutionResult>;

interface Known {
  readonly document: DocumentNode;
  /** Undefined if it was executed once only, or cannot be compiled. */
  query?: CompiledQuery | undefined;
}

/**
 * The queries that users send again and again, over HTTP and WebSocket, compiled as those of REST: from the second time
 * on that a valid document is executed, so that one that is sent once costs nothing.
 */
export class CompiledQueries {
  readonly #schema: GraphQLSchema;
  readonly #known = documentCache<Known>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The document of a compiled query: it is valid. */
  findDocument({ query, operationName }: RequestedOperation): DocumentNode | undefined {
    const known = this.#known.get(nameOf(query, operationName));
    return known?.query && known.document;
  }

  /**
   * Runs an operation: the one way for all interfaces.
   * @param contextOf a new context of it
   * @param execute runs it by GraphQL's own executor: if it is not known, or has errors, of which that says where
   */
  async run<Result>(
    { query, operationName, variables }: RequestedOperation,
    contextOf: () => Context,
    execute: () => Promise<Result>,
  ): Promise<{ readonly data: Record<string, unknown>; readonly context: Context } | Result> {
    const known = this.#known.get(nameOf(query, operationName))?.query;
    if (!known) return execute();
    const context = contextOf();
    const { data, errors } = limitResult(await known(context, variables));
    return errors || !data ? execute() : { data, context };
  }

  /** To be called for each valid document that is executed. */
  note(document: DocumentNode, operationName: string | undefined): void {
    const text = document.loc?.source.body;
    if (text === undefined || text.length > MAX_LENGTH) return;
    const name = nameOf(text, operationName);
    const known = this.#known.get(name);
    if (!known) this.#known.set(name, { document });
    else if (!("query" in known)) this.#known.set(name, { document, query: this.#compile(document, operationName) });
  }

  /** Undefined for what is no query, or cannot be compiled. */
  #compile(document: DocumentNode, operationName: string | undefined): CompiledQuery | undefined {
    const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
    if (operations.some(({ operation }) => operation !== OperationTypeNode.QUERY)) return undefined;
    const lifted = hasPrototypeAlias(document) ? undefined : liftLiterals(this.#schema, document);
    if (!lifted) return undefined;
    const compiled = compileQuery(this.#schema, lifted.document, operationName);
    if (!isCompiledQuery(compiled)) return undefined;
    return (context, variables) => compiled.query(undefined, context, { ...variables, ...lifted.values });
  }
}

const nameOf = (text: string, operationName: string | undefined) => `${operationName ?? ""} ${text}`;

/** The compiler puts results into objects that have a prototype, which a field of that name would replace. */
function hasPrototypeAlias(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field: ({ alias }) => {
      found ||= alias?.value === PROTOTYPE;
    },
  });
  return found;
}

const PREFIX = "literal_";

/**
 * The same document with variables in place of literals whose types have an internal form: the compiler writes literals
 * into its code as JSON. Undefined if some cannot be replaced.
 */
function liftLiterals(
  schema: GraphQLSchema,
  document: DocumentNode,
): { readonly document: DocumentNode; readonly values: Readonly<Record<string, unknown>> } | undefined {
  const values: Record<string, unknown> = {};
  const definitions: VariableDefinitionNode[] = [];
  let isPossible = !document.loc?.source.body.includes(PREFIX);
  const types = new TypeInfo(schema);
  const lifted = visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: ({ defaultValue }) => {
        if (defaultValue) isPossible = false;
      },
      Argument: (node) => {
        const type = types.getInputType();
        const isReady = !type || node.value.kind === Kind.VARIABLE || node.value.kind === Kind.NULL;
        if (isReady || isPlain(getNamedType(type))) return undefined;
        if (hasVariable(node.value)) {
          isPossible = false;
          return undefined;
        }
        const name = { kind: Kind.NAME, value: `${PREFIX}${definitions.length}` } as const;
        const variable = { kind: Kind.VARIABLE, name } as const;
        values[name.value] = valueFromASTUntyped(node.value);
        definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) });
        return { ...node, value: variable };
      },
    }),
  );
  if (!isPossible) return undefined;
  const withDefinitions = visit(lifted, {
    OperationDefinition: (node) => ({
      ...node,
      variableDefinitions: [...(node.variableDefinitions ?? []), ...definitions],
    }),
  });
  return { document: withDefinitions, values };
}

/** Whether JSON is the internal form of its values. */
function isPlain(type: ReturnType<typeof getNamedType>): boolean {
  return isLeafType(type) && (!isScalarType(type) || isSpecifiedScalarType(type));
}

function hasVariable(value: ValueNode): boolean {
  let found = false;
  visit(value, {
    Variable: () => {
      found = true;
    },
  });
  return found;
}
