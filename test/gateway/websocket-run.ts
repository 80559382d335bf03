import { until } from "../support/until.js";
import { TestClient, TestGateway } from "./websocket-fixture.js";

/**
 * Starts a gateway, uses it, closes it, and then does nothing more: the process ends by itself if, and only if, no
 * timer and no socket is left. Started by websocket-lifecycle.test.ts with the database's URL.
 */
const databaseUrl = process.argv[2];
if (!databaseUrl) throw new Error("Give the URL of a database");

const gateway = await TestGateway.start({ databaseUrl, limits: { messagesPerSecond: 3, closeTimeoutMs: 600_000 } });
const client = await TestClient.connect(gateway.url);
// Enough requests for the gateway to pause reading.
client.subscribe("block", "finalizedBlock", "confirmedAdded", "block", "block");
await gateway.subscribed(3);
const gone = await TestClient.connect(gateway.url);
gone.socket.terminate();
await until(() => gateway.stats.connections === 1, "it is gone");
await gateway.close();
console.log(JSON.stringify({ closed: await client.ended(), stats: gateway.stats, feeds: gateway.events.feeds }));
