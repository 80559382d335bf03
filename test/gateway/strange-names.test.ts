import { once } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

// Names of strangers that every object of JavaScript has: they mean no more than others.

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype", "__defineGetter__"];

const gateway = GatewayFixture.use(12, { extensions: makeExtensions({ MESH_PATH: "/mesh" }) });

describe.each(NAMES)("%s", (name) => {
  /** The answer is the same each time: a query is compiled when it is known. */
  async function answerOf(query: string, others: object = {}): Promise<string> {
    const seen = new Set<string>();
    for (let time = 0; time < 4; ++time) seen.add((await gateway.post("/graphql", { query, ...others })).text);
    expect([...seen]).toHaveLength(1);
    return [...seen][0]!;
  }

  test("as an alias: at the root, in an object, in lists, in fragments", async () => {
    const text = await answerOf(
      `{ ${name}: block(height: 2) { ${name}: hash other: height }
         blocks(first: 2) { ${name}: data { ${name}: height ...F } } }
       fragment F on Block { next { ${name}: height } }`,
    );
    expect(text).not.toContain("errors");
    expect(text.split(`"${name}":`)).toHaveLength(7);
    expect(text).toContain(`{"${name}":11,"next":{"${name}":12}}`);
  });

  test("as the name of an operation, a fragment, a variable", async () => {
    const text = await answerOf(
      `query ${name}($${name}: SafeInt!, $b: SafeInt = 3) { a: block(height: $${name}) { ...${name} } b: block(height: $b) { height } }
       fragment ${name} on Block { height }`,
      { operationName: name, variables: JSON.parse(`{"${name}": 2}`) },
    );
    if (name === "__proto__") expect(JSON.parse(text).errors[0].message).toContain("$__proto__");
    else expect(JSON.parse(text)).toEqual({ data: { a: { height: 2 }, b: { height: 3 } } });
  });

  test("as an unknown field, argument, directive, type or member of an input", async () => {
    for (const query of [
      `{ ${name} }`,
      `{ block(${name}: 2) { hash } }`,
      `{ block(height: 2) @${name} { hash } }`,
      `{ ... on ${name} { x } }`,
      `{ blocks(page: { ${name}: 2 }) { data { hash } } }`,
    ]) {
      const { errors } = JSON.parse(await answerOf(query));
      expect(errors[0].extensions.code).toMatch(/^Invalid/);
    }
  });

  test("as a parameter, a member of a body, a key of a path", async () => {
    const unknown = await gateway.get(`/blocks?${name}=1`);
    expect([unknown.status, unknown.body.message]).toEqual([409, expect.stringContaining(`"${name}"`)]);
    const body = await gateway.post("/accounts", `{"${name}": {"addresses": ["x"]}, "addresses": []}`);
    expect([body.status, body.body]).toEqual([200, []]);
    expect((await gateway.post("/transactionStatus", `{"${name}": {"hashes": []}}`)).status).toBe(409);
    expect((await gateway.get(`/${name}`)).status).toBe(404);
    expect((await gateway.get(`/blocks/${name}`)).status).toBe(400);
    expect((await gateway.get(`/explorer/data?page=/${name}/1`)).status).toBe(404);
    expect((await gateway.get(`/explorer/data/${name}`)).status).toBe(404);
    expect((await gateway.get(`/blocks?type=${name}`)).status).toBe(409);
  });

  test("in Mesh", async () => {
    const member = JSON.parse(`{"${name}": {"network_identifier": 1}}`);
    const list = await gateway.post("/mesh/network/list", { metadata: member });
    expect(list.status).toBe(200);
    const [network_identifier] = list.body.network_identifiers;
    const wrong = await gateway.post("/mesh/block", JSON.stringify({ network_identifier, ...member }));
    expect(wrong.body.details.member).toBe("block_identifier");
    expect((await gateway.post(`/mesh/${name}`, {})).body.code).toBeDefined();
  });

  test("over /ws", async () => {
    const socket = new WebSocket(`${gateway.socketUrl}/ws`);
    const received: { uid?: string; topic?: string; data?: { code: string } }[] = [];
    socket.on("message", (data) => received.push(JSON.parse(data.toString())));
    await once(socket, "open");
    await until(() => received.length === 1, "the uid");
    const uid = received[0]?.uid;
    for (const topic of [name, `${name}/${name}`]) socket.send(JSON.stringify({ uid, subscribe: topic }));
    socket.send(`{"uid": "${uid}", "${name}": {"subscribe": "block"}}`);
    await until(() => received.length === 4, "three errors");
    expect(received.slice(1).map(({ topic }) => topic)).toEqual(["error", "error", "error"]);
    socket.close();
  });
});
