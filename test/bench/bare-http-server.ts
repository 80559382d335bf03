import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Baseline of the response cache, in its own process: a bare `node:http` server that sends the same bytes each time. */

/** What the server sends from now on; it reports when it has received it. */
export interface BareAnswer {
  /** Without those that Node adds itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
}

let answer = { headers: {}, body: Buffer.alloc(0) };
process.on("message", ({ headers, body }: BareAnswer) => {
  answer = { headers, body: Buffer.from(body, "base64") };
  process.send?.("received");
});
process.on("disconnect", () => process.exit());

const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
