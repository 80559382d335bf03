import { Router } from "express";
import { hex } from "../catapult/entity/hex.js";
import { renderNodeInfo } from "../catapult/json/node.js";
import { NodeClient } from "../catapult/wire/node-client.js";
import { RateLimit } from "../schema/limits/rate-limit.js";
import { ClientLimits } from "./clients/client-limit.js";
import { Clients } from "./clients/clients.js";
import { firstSegment, handler, markRoute } from "./http/exchange.js";
import { HttpPort } from "./http/http-port.js";
import { Metrics } from "./http/metrics.js";
import { otherMethods } from "./http/other-methods.js";
import { ResponseCache } from "./http/response-cache.js";
import { send } from "./http/send.js";
import { defaultGatewayLimits } from "./limits.js";
import { connectGateway } from "./node-connection.js";
import { createApp } from "./rest/app.js";
import { deploymentOf } from "./rest/route/route.js";
import type { GatewayOptions } from "./server.js";

/** The options of a gateway that apply without a database. */
export type LightOptions = Pick<
  GatewayOptions,
  | "version"
  | "nodes"
  | "credentials"
  | "host"
  | "port"
  | "log"
  | "compatibility"
  | "deployment"
  | "rateLimit"
  | "trustedProxies"
  | "tls"
>;

/** Bodies by path, from the node alone. */
function bodiesOf(node: NodeClient, { version, deployment = deploymentOf(version) }: LightOptions) {
  return {
    "/chain/info": async () => {
      const [{ height, scoreHigh, scoreLow }, last] = await Promise.all([
        node.chainStatistics(),
        node.finalizationStatistics(),
      ]);
      return JSON.stringify({
        scoreHigh: String(scoreHigh),
        scoreLow: String(scoreLow),
        height: String(height),
        latestFinalizedBlock: {
          finalizationEpoch: last.epoch,
          finalizationPoint: last.point,
          height: String(last.height),
          hash: hex(last.hash),
        },
      });
    },
    "/node/info": async () => renderNodeInfo(await node.nodeInfo()),
    "/node/peers": async () => `[${(await node.peers()).map(renderNodeInfo).join()}]`,
    "/node/server": async () => JSON.stringify({ serverInfo: { restVersion: version, deployment } }),
    "/node/unlockedaccount": async () => JSON.stringify({ unlockedAccount: (await node.unlockedAccounts()).map(hex) }),
    "/ready": async () => JSON.stringify({ nodeHeight: String((await node.chainStatistics()).height) }),
  };
}

/**
 * Serves what catapult-rest's light mode does, from the node alone, and `/ready`: without a database, an index and
 * WebSocket.
 * @throws Error when it cannot listen
 */
export async function startLightGateway(options: LightOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { log, compatibility, trustedProxies = [], tls } = options;
  const { nodeTimeoutMs, requestTimeoutMs } = defaultGatewayLimits;
  const node = new NodeClient({ link: connectGateway({ ...options, nodeTimeoutMs }) });
  const rateLimit = options.rateLimit && new RateLimit(options.rateLimit);
  const clients = new Clients(trustedProxies, (address) => log.warn({ address }, "X-Forwarded-For is not trusted"));
  const usesReferenceMessages = compatibility === "catapult-rest";
  const bySegment = new Map<string, Router>();
  for (const [path, bodyOf] of Object.entries(bodiesOf(node, options))) {
    const router = bySegment.get(firstSegment(path)) ?? Router({ caseSensitive: true, strict: true });
    bySegment.set(firstSegment(path), router);
    const answer = handler(async (request, response) => send(request, response, 200, await bodyOf()));
    const route = router.route(path).all(markRoute(path)).get(answer);
    route.all(otherMethods(["GET", "HEAD"], usesReferenceMessages));
  }
  const routers = { bySegment, failureHandlers: new Map(), usesReferenceMessages };
  const cache = new ResponseCache(0);
  const metrics = new Metrics(options.version);
  const app = createApp({ log, metrics, clients, clientLimits: new ClientLimits(), rateLimit, cache, routers });
  const port = new HttpPort({ app, log, rateLimit, clients, streamsPerClient: 1, tls, requestTimeoutMs });
  const stop = async () => {
    await port.close();
    await node.close();
  };
  try {
    const listening = await port.listen(options.host, options.port);
    log.info({ host: options.host, port: listening }, "Listening");
    return { port: listening, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
