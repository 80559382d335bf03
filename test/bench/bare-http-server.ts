import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Baseline of the response cache, in its own process: a bare `node:http` server that sends the same bytes each time. */

/** What the server sends from now on. */
export interface BareAnswer {
  /** Without those that Node adds itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
}

/** What the server reports: first its port, then each time that it has received an answer. */
export type BareHttpReport = { readonly port: number } | { readonly isReady: true };

let answer = { headers: {}, body: Buffer.alloc(0) };
process.on("message", ({ headers, body }: BareAnswer) => {
  answer = { headers, body: Buffer.from(body, "base64") };
  process.send?.({ isReady: true } satisfies BareHttpReport);
});
process.on("disconnect", () => process.exit());

const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies BareHttpReport);
});
