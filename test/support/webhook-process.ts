import { openDatabase } from "../../database/connection.js";
import { EventReader } from "../../schema/feed/event-reader.js";
import { type DeliveryTimes, WebhookDeliverer } from "../../schema/webhooks/deliverer.js";
import { silentLog } from "./connection-fixtures.js";

/** A process that delivers webhooks until it is killed: its arguments are the database and the times as JSON. */
const [, , databaseUrl = "", times = "{}"] = process.argv;
const db = openDatabase({ url: databaseUrl, poolSize: 1 });
const events = new EventReader({ url: databaseUrl, db, log: silentLog });
await events.start();
new WebhookDeliverer({
  databaseUrl,
  events,
  log: silentLog,
  privateNetworks: ["127.0.0.1"],
  times: JSON.parse(times) as Partial<DeliveryTimes>,
}).start();
process.on("disconnect", () => process.exit());
