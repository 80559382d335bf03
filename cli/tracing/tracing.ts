import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, type TracingChannel, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { statementChannel, type TracedStatement } from "../../database/binary/client.js";
import { TrustedProxies } from "../../gateway/clients/clients.js";
import { operationChannel, type TracedOperation } from "../../gateway/graphql/operation.js";
import { requestIdOf, routeOf } from "../../gateway/http/exchange.js";

/** Of Node: every request of any server of this process. */
const REQUEST_START = "http.server.request.start";
const NAME = "symbol-gateway";
/** Maximum length of a statement in a trace. */
const MAX_TEXT = 2_000;
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TracingOptions {
  /** URL of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  /** Of this program. */
  readonly version: string;
  /** Proxies whose traces are continued; other requests begin a trace of their own. */
  readonly trustedProxies: readonly string[];
}

interface StartedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Traced<Data> = Data & { span?: Span; error?: unknown };

/**
 * Traces HTTP requests, the GraphQL operations in them, and the statements in those. The code that is traced reports to
 * channels of `node:diagnostics_channel`, which cost nothing while nothing subscribes to them: hooks into the loading of
 * ES modules are not needed.
 */
export class Tracing {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #proxies: TrustedProxies;
  readonly #current = new AsyncLocalStorage<Span>();
  readonly #stopped: (() => void)[] = [];

  constructor({ endpoint, version, trustedProxies }: TracingOptions) {
    const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        "service.name": process.env.OTEL_SERVICE_NAME ?? NAME,
        "service.version": version,
      }),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
    this.#tracer = this.#provider.getTracer(NAME, version);
    this.#proxies = new TrustedProxies(trustedProxies);
    subscribe(REQUEST_START, this.#onRequest);
    this.#stopped.push(() => unsubscribe(REQUEST_START, this.#onRequest));
    this.#follow<TracedOperation>(operationChannel, ({ text }) => ({
      name: `graphql ${operationName(text)}`,
      kind: SpanKind.INTERNAL,
      attributes: { "graphql.document": text.slice(0, MAX_TEXT) },
    }));
    this.#follow<TracedStatement>(statementChannel, ({ text }) => ({
      name: `postgresql ${text.trim().split(/\s/, 1)[0]?.toUpperCase()}`,
      kind: SpanKind.CLIENT,
      attributes: { "db.system.name": "postgresql", "db.query.text": text.slice(0, MAX_TEXT) },
    }));
  }

  /** For the log: the trace of the current request. */
  readonly logFields = (): Record<string, unknown> => {
    const span = this.#current.getStore()?.spanContext();
    return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
  };

  /** Sends what is complete, and traces no more. */
  async stop(): Promise<void> {
    for (const stop of this.#stopped.splice(0)) stop();
    await this.#provider.shutdown().catch(() => undefined);
  }

  readonly #onRequest = (message: unknown): void => {
    const { request, response } = message as StartedRequest;
    const method = request.method ?? "";
    const attributes = { "http.request.method": method, "url.path": (request.url ?? "").split("?", 1)[0] };
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, this.#parentOf(request));
    // The handlers of the request run after this, in the same turn.
    this.#current.enterWith(span);
    response.once("close", () => {
      const route = routeOf(response);
      if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute("http.route", route);
      span.setAttributes({
        "http.response.status_code": response.statusCode,
        "http.request.id": requestIdOf(response),
      });
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
  };

  #parentOf({ headers, socket }: IncomingMessage): Context {
    const [, traceId, spanId, flags] = TRACE_PARENT.exec(String(headers.traceparent ?? "")) ?? [];
    if (!traceId || !spanId || !flags || !this.#proxies.has(socket.remoteAddress ?? "")) return ROOT_CONTEXT;
    const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return trace.setSpanContext(ROOT_CONTEXT, parent);
  }

  /** A span for each call that a channel reports, within the current one; calls outside of requests are not traced. */
  #follow<Data extends object>(
    channel: TracingChannel<unknown, Data>,
    describe: (data: Data) => { readonly name: string; readonly kind: SpanKind; readonly attributes: Attributes },
  ): void {
    channel.start.bindStore(this.#current as AsyncLocalStorage<unknown>, (data) => {
      const parent = this.#current.getStore();
      if (!parent) return undefined;
      const { name, ...options } = describe(data as Data);
      const span = this.#tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent));
      (data as Traced<Data>).span = span;
      return span;
    });
    const nothing = () => undefined;
    const subscribers = {
      start: nothing,
      end: nothing,
      asyncStart: nothing,
      asyncEnd: (data: Traced<Data>) => data.span?.end(),
      error: ({ span, error }: Traced<Data>) => {
        span?.recordException(error instanceof Error ? error : String(error));
        span?.setStatus({ code: SpanStatusCode.ERROR });
      },
    };
    channel.subscribe(subscribers as never);
    this.#stopped.push(() => {
      channel.unsubscribe(subscribers as never);
      channel.start.unbindStore(this.#current as AsyncLocalStorage<unknown>);
    });
  }
}

/** The first field of a document, which names the operation for people. */
function operationName(text: string): string {
  const field = /\{\s*(?:\w+:\s*)?(\w+)/.exec(text.replace(/\([^)]*\)/g, ""));
  return field?.[1] ?? text;
}
