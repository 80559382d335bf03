import type { Metric, Registry } from "prom-client";

const NAME = "symbol_gateway_http_request_seconds";
const DESCRIPTION = { name: NAME, help: "Response time of requests", type: "histogram", aggregator: "sum" };
/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10] as const;
const UNBOUNDED = "+Inf";

export interface RequestFigures {
  readonly method: string;
  /** Path in the route table. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** Response times of one kind of requests. */
interface Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Number of requests by bucket; the last bucket has no bound. */
  readonly counts: number[];
  seconds: number;
}

/**
 * A histogram of response times. That of the library looks up the series of each request by a text of all labels, which
 * takes as long as everything else that a cached response needs.
 */
export class RequestTimes {
  /** By route, method and status. */
  readonly #series = new Map<string, Map<string, Map<number, Series>>>();

  constructor(registry: Registry) {
    const metric = { ...DESCRIPTION, get: async () => ({ ...DESCRIPTION, values: this.#values() }) };
    // The registry needs no more of a metric; its type is that of the library's own.
    registry.registerMetric(metric as unknown as Metric);
  }

  record({ method, route, status, ms }: RequestFigures): void {
    const series = this.#series.get(route)?.get(method)?.get(status) ?? this.#add(method, route, status);
    const seconds = ms / 1_000;
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) ++bucket;
    series.counts[bucket]! += 1;
    series.seconds += seconds;
  }

  #add(method: string, route: string, status: number): Series {
    const series = { labels: { method, route, status }, counts: [...BOUNDS, 0].map(() => 0), seconds: 0 };
    const byMethod = this.#series.get(route) ?? new Map<string, Map<number, Series>>();
    this.#series.set(route, byMethod);
    const byStatus = byMethod.get(method) ?? new Map<number, Series>();
    byMethod.set(method, byStatus);
    byStatus.set(status, series);
    return series;
  }

  #values() {
    return [...this.#series.values()]
      .flatMap((byMethod) => [...byMethod.values()])
      .flatMap((byStatus) => [...byStatus.values()])
      .flatMap(valuesOf);
  }
}

/** Buckets are cumulative: each also counts those with lower bounds. */
function valuesOf({ labels, counts, seconds }: Series) {
  let count = 0;
  const buckets = counts.map((inBucket, bucket) => {
    count += inBucket;
    const le = BOUNDS[bucket] ?? UNBOUNDED;
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: seconds },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
