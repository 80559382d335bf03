import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import express from "express";
import { messageClasses } from "../../gateway/http/message-classes.js";

const app = express();
const server = createServer(messageClasses(app), app);
afterEach(() => {
  server.close();
});

test("requests and responses have express's additions from the start, so express does not change their prototypes", async () => {
  const before: unknown[] = [];
  const after: unknown[] = [];
  const prototypes = (...messages: object[]) => messages.map((message) => Object.getPrototypeOf(message) as unknown);
  server.prependListener("request", (request, response) => before.push(...prototypes(request, response)));
  app.get("/hello/:name", (request, response) => {
    after.push(...prototypes(request, response));
    response.status(202).json({ hello: request.params.name, type: request.get("accept"), app: request.app === app });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/hello/bob`, { headers: { accept: "text/x" } });
  expect(answer.status).toBe(202);
  expect(await answer.json()).toEqual({ hello: "bob", type: "text/x", app: true });
  expect(before).toHaveLength(2);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
});
