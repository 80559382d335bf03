import { makeExtensions } from "../../cli/parts/extensions.js";
import { type Gateway, type GatewayOptions, startGateway } from "../../gateway/server.js";
import { clientCredentials, silentLog } from "./connection-fixtures.js";

/** A test's options of a gateway: the index, its nodes, and settings that differ from a quiet gateway. */
export type TestGatewayOptions = Pick<GatewayOptions, "databaseUrl" | "nodes"> & Partial<GatewayOptions>;

/** A gateway on a free port of 127.0.0.1 that logs nothing, and answers `/graphql` to callers on this machine. */
export function startTestGateway(options: TestGatewayOptions): Promise<Gateway> {
  return startGateway({
    version: "0.0.0",
    credentials: clientCredentials,
    host: "127.0.0.1",
    port: 0,
    log: silentLog,
    answersLocalCallers: true,
    extensions: makeExtensions({}),
    ...options,
  });
}
