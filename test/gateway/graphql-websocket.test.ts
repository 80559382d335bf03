import { mock } from "node:test";
import { afterEach, describe, expect, test } from "@jest/globals";
import { type Client, type ClientOptions, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { CompiledQueries } from "../../gateway/graphql/compiled-queries.js";
import { errorCodes } from "../../schema/errors/errors.js";
import { signIn } from "../support/sign-in.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { randomAddress } from "./websocket-fixture.js";

const TOKEN = "a-token-of-the-test";

const gateway = GatewayFixture.use(3);
const guarded = GatewayFixture.use(3, { graphqlTokens: [{ name: "default", token: TOKEN }] });
const closed = GatewayFixture.use(3, { answersLocalCallers: false });
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
});

const url = (of = gateway) => `${of.socketUrl}/graphql`;

/** A socket with custom headers, which the graphql-ws client leaves to the socket. */
function socketWith(headers: Record<string, string>) {
  return class extends WebSocket {
    constructor(address: string, protocols: string | string[]) {
      super(address, protocols, { headers });
    }
  };
}

function connect(options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url: url(), webSocketImpl: WebSocket, retryAttempts: 0, lazy: true, ...options });
  clients.push(client);
  return client;
}

interface Received {
  readonly data?: Record<string, { sequence: number; body?: { n: number } }> | null;
  readonly errors?: readonly { message: string; extensions?: { code?: string; next?: number } }[];
}

/** Subscribes and collects the events; `ended` is set when it has ended, with the error if there was one. */
function listen(client: Client, query: string, variables: Record<string, unknown> = {}) {
  const state: { received: Received[]; ended?: unknown; end: () => void } = { received: [], end: () => undefined };
  state.end = client.subscribe(
    { query, variables },
    {
      next: (value) => state.received.push(value as Received),
      error: (error) => {
        state.ended = error;
      },
      complete: () => {
        state.ended ??= "complete";
      },
    },
  );
  return state;
}

describe("subscriptions", () => {
  test("an impossible start is rejected, and the error names a possible one", async () => {
    const next = (await gateway.events.write({ channel: "block", data: {} })) + 1;
    const client = connect();
    const blocks = listen(client, `subscription { block(from: ${next + 5}) { sequence } }`);
    await until(() => blocks.received.length + Number(blocks.ended !== undefined) > 0, "an answer");
    const [error] = (Array.isArray(blocks.ended) ? blocks.ended : (blocks.received[0]?.errors ?? [])) as NonNullable<
      Received["errors"]
    >;
    expect(error?.extensions).toMatchObject({ code: "InvalidArgument", next });
  });

  test("queries are answered too", async () => {
    const asked = listen(connect(), "{ chain { height } }");
    await until(() => asked.ended === "complete", "it is answered");
    expect(asked.received).toEqual([{ data: { chain: { height: 3 } } }]);
  });

  test("a query that is repeated is compiled as over HTTP, and its answer is the same", async () => {
    const query = "query ($height: SafeInt!) { block(height: $height) { height } __typename }";
    const known = mock.method(CompiledQueries.prototype, "findDocument");
    try {
      const client = connect();
      for (const height of [1, 2, 1, 2]) {
        const asked = listen(client, query, { height });
        await until(() => asked.ended === "complete", "it is answered");
        expect(asked.received).toEqual([{ data: { block: { height }, __typename: "Query" } }]);
      }
      expect(known.mock.calls.map(({ result }) => result !== undefined)).toEqual([false, false, true, true]);
    } finally {
      known.mock.restore();
    }
  });
});

describe("rejected operations", () => {
  async function errorsOf(query: string): Promise<readonly { message: string; extensions?: { code?: string } }[]> {
    const asked = listen(connect(), query);
    await until(() => asked.ended !== undefined, "it is over");
    return Array.isArray(asked.ended) ? asked.ended : (asked.received[0]?.errors ?? []);
  }

  test.each([
    ["an invalid document", "subscription {", "Syntax Error"],
    ["an unknown field", "subscription { blocks { sequence } }", 'Cannot query field "blocks"'],
    ["an invalid address", 'subscription { status(address: "HELLO") { sequence } }', "39 base32 characters"],
    [
      "another network's address",
      `subscription { status(address: "${randomAddress(104).text}") { sequence } }`,
      "does not belong to",
    ],
    [
      "too deep",
      `{ blocks ${"{ data { transactions ".repeat(8)} { data { id } } ${"} }".repeat(8)} }`,
      "depth limit of 10",
    ],
  ])("%s", async (_what, query, message) => {
    const [error] = await errorsOf(query);
    expect(error?.message).toContain(message);
    expect(Object.keys(errorCodes)).toContain(error?.extensions?.code);
  });

  test("one operation more than a connection may have", async () => {
    const client = connect();
    const open = Array.from({ length: 100 }, () => listen(client, "subscription { finalizedBlock { sequence } }"));
    const more = listen(client, "subscription { block { sequence } }");
    await until(() => more.ended !== undefined, "it is rejected");
    expect(more.ended).toMatchObject([{ extensions: { code: "TooManyRequests" } }]);
    expect(open.every(({ ended }) => ended === undefined)).toBe(true);
  });

  test.each([
    ["no JSON", "hello", 4400],
    ["a message of 1 MiB", JSON.stringify({ type: "ping", payload: { x: "x".repeat(2 ** 20) } }), 1009],
    [
      "an operation before the greeting",
      JSON.stringify({ id: "1", type: "subscribe", payload: { query: "{ a }" } }),
      4401,
    ],
  ])("%s closes the connection", async (_what, text, expected) => {
    const socket = new WebSocket(url(), "graphql-transport-ws");
    socket.on("open", () => socket.send(text));
    socket.on("error", () => undefined);
    const code = await new Promise((resolve) => socket.on("close", resolve));
    expect(code).toBe(expected);
  });
});

describe("authorization", () => {
  async function outcome(options: Partial<ClientOptions>): Promise<string> {
    const asked = listen(connect(options), "{ chain { height } }");
    await until(() => asked.ended !== undefined, "it is over");
    const { ended } = asked;
    return ended === "complete"
      ? "answered"
      : `${(ended as { code?: number }).code ?? (ended as { message: string }).message}`;
  }
  const ofGuarded = () => ({ url: url(guarded) });
  const evil = { origin: "https://evil.example" };

  test("without a token callers on this machine, but no page of another origin", async () => {
    expect(await outcome({})).toBe("answered");
    expect(await outcome({ webSocketImpl: socketWith({ origin: gateway.url }) })).toBe("answered");
    for (const headers of [evil, { "x-forwarded-for": "203.0.113.7" }, { host: "evil.example" }]) {
      expect(await outcome({ webSocketImpl: socketWith(headers as Record<string, string>) })).toContain("403");
    }
  });

  test("with a token clients that send it, in a header or in the first message, as pages of other origins must", async () => {
    const authorization = `Bearer ${TOKEN}`;
    expect(await outcome({ ...ofGuarded(), webSocketImpl: socketWith({ authorization }) })).toBe("answered");
    const connectionParams = { Authorization: authorization };
    expect(await outcome({ ...ofGuarded(), webSocketImpl: socketWith(evil), connectionParams })).toBe("answered");
  });

  test("no other client, not even on this machine", async () => {
    const connectionParams = { Authorization: "Bearer another" };
    expect(await outcome(ofGuarded())).toBe("4403");
    expect(await outcome({ ...ofGuarded(), connectionParams })).toBe("4403");
    const headers = { authorization: connectionParams.Authorization };
    expect(await outcome({ ...ofGuarded(), webSocketImpl: socketWith(headers) })).toContain("403");
    expect(await outcome({ url: url(closed) })).toContain("403");
  });

  test("a browser with a session, but not for a page of another origin", async () => {
    const cookie = await signIn(guarded.url, TOKEN);
    expect(await outcome({ ...ofGuarded(), webSocketImpl: socketWith({ cookie, origin: guarded.url }) })).toBe(
      "answered",
    );
    expect(await outcome({ ...ofGuarded(), webSocketImpl: socketWith({ cookie, ...evil }) })).toBe("4403");
  });
});

test("stopping the gateway closes it with 1001", async () => {
  const own = await GatewayFixture.start(3);
  const client = connect({ url: url(own) });
  const codes: number[] = [];
  client.on("closed", (event) => codes.push((event as { code: number }).code));
  const connected = new Promise((resolve) => client.on("connected", resolve));
  listen(client, "subscription { block { sequence } }");
  await connected;
  await own.close();
  await until(() => codes.length === 1, "closed");
  expect(codes).toEqual([1001]);
});
