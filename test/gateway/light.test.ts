import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { publishedApi } from "../support/openapi.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { RestStack } from "../support/rest-stack.js";

const published = publishedApi();
const stack = RestStack.use({ populate: ({ devnet }) => devnet.harvest(3) });
let light: TestProcess;
let url: string;

beforeAll(async () => {
  light = startProcess(["gateway", "--light"], {
    env: { CATAPULT_NODES: `127.0.0.1:${stack.node.devnet.port}`, HOST: "127.0.0.1", PORT: "0" },
  });
  const line = await light.waitFor(/"port":\d+,"msg":"Listening"/);
  url = `http://127.0.0.1:${/\d+/.exec(line)?.[0]}`;
});

afterAll(() => light?.kill("SIGTERM"));

test.each(["/chain/info", "/node/info", "/node/peers", "/node/server", "/node/unlockedaccount"])(
  "without a database, %s is that of a gateway with one",
  async (path) => {
    const response = await fetch(url + path);
    const body = await response.json();
    expect(response.status).toBe(200);
    expect(published.validateResponse("GET", path, 200, body)).toEqual([]);
    if (path === "/node/server") expect(body.serverInfo.deployment.deploymentTool).toBe("symbol-gateway");
    else expect(body).toEqual((await stack.get(path)).body);
  },
);

test("all else is not there, and supervisors are answered", async () => {
  expect((await fetch(`${url}/blocks`)).status).toBe(404);
  expect((await fetch(`${url}/node/health`)).status).toBe(404);
  expect((await fetch(`${url}/chain/info`, { method: "POST" })).status).toBe(405);
  const health = startProcess(["health"], { env: { PORT: new URL(url).port, HOST: "127.0.0.1" } });
  expect(await health.exited).toMatchObject({ code: 0 });
});
