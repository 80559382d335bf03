import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { errorCodes } from "../../schema/errors/errors.js";
import { INSPECTED, Inspector } from "../support/inspector.js";
import { publishedApi } from "../support/openapi.js";
import { SeededRandom } from "../support/seeded-random.js";
import { examplesOf } from "./examples.js";
import { operationsOf } from "./operations.js";
import { type RandomRequest, RandomRequests } from "./random-requests.js";
import { Scene } from "./scene.js";

/** `TEST_WALK_REQUESTS=100000` sends more. */
const REQUESTS = Number(process.env.TEST_WALK_REQUESTS ?? 4_000);
const AT_ONCE = 8;
const MAX_GROWTH_MIB = 20;
const MIB = 1024 * 1024;
/** Requests until the program has compiled and cached its working set. */
const WARM_UP = 2_000;
/** Memory is measured after this number of requests. */
const MEASURED = 500;
/** Every n-th answer is validated. */
const VALIDATED = 5;

describe("a walk at random", () => {
  const api = publishedApi();
  let scene: Scene;
  let requests: RandomRequest[];
  const statuses = new Map<number, number>();
  const times: number[] = [];
  /** Live memory, MiB. */
  const memory: number[] = [];
  let garbage: Inspector;

  beforeAll(async () => {
    scene = await Scene.start(INSPECTED);
    garbage = await Inspector.of(scene.process);
    const random = new RandomRequests(new SeededRandom(), operationsOf(api), await examplesOf(scene));
    requests = Array.from({ length: REQUESTS }, () => random.next());
  });

  afterAll(async () => {
    garbage?.close();
    await scene?.stop();
  });

  async function send({ method, path, body, headers }: RandomRequest): Promise<{ status: number; text: string }> {
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = await fetch(`${scene.url}${path}`, init);
    return { status: response.status, text: await response.text() };
  }

  async function walk(index: number): Promise<void> {
    const request = requests[index] as RandomRequest;
    const start = performance.now();
    const { status, text } = await send(request);
    times.push(performance.now() - start);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const shown = { ...request, status, text: status >= 500 ? text : "" };
    if (status >= 500) expect(shown).toEqual({ ...shown, status: "below 500" });
    if (status >= 400 && request.method !== "HEAD") {
      const { code } = JSON.parse(text) as { code: keyof typeof errorCodes };
      if (errorCodes[code]?.status !== status) expect({ ...shown, code }).toEqual({ ...shown, code: "of its status" });
    }
    if (status === 200 && request.method !== "HEAD" && index % VALIDATED === 0) expectDescribed(request, text);
  }

  function expectDescribed(request: RandomRequest, text: string): void {
    const { pathname } = new URL(request.path, scene.url);
    if (!api.pathOf(pathname) || !text.startsWith("{")) return;
    const problems = api.validateResponse(request.method, pathname, 200, JSON.parse(text));
    if (problems.length > 0) expect({ ...request, problems }).toEqual({ ...request, problems: [] });
  }

  /** Of the gateway's process, after a garbage collection. */
  async function measure(): Promise<void> {
    await garbage.call("HeapProfiler.collectGarbage");
    const figures = await (await fetch(`${scene.url}/metrics`)).text();
    const figure = (name: string) => Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "m").exec(figures)?.[1]) / MIB;
    memory.push(Math.round(figure("nodejs_heap_size_used_bytes") + figure("nodejs_external_memory_bytes")));
  }

  test(`${REQUESTS} requests: none fails, none hangs, and the gateway does not grow`, async () => {
    let next = 0;
    const work = async () => {
      while (next < REQUESTS) {
        const index = next;
        next += 1;
        await walk(index);
        if (index % MEASURED === 0) await measure();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await measure();

    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
    process.stderr.write(`statuses ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);
    process.stderr.write(`ms: median ${at(0.5)}, 99 % ${at(0.99)}, slowest ${at(1)}\n`);
    const growth = Math.max(...memory.slice(-3)) - (memory[WARM_UP / MEASURED] ?? 0);
    process.stderr.write(`MiB: ${memory.join(" ")}: grown by ${growth} since request ${WARM_UP}\n`);
    expect(growth).toBeLessThanOrEqual(MAX_GROWTH_MIB);
    for (const status of [200, 202, 400, 404, 405, 409, 415]) expect([...statuses.keys()]).toContain(status);
  });
});
