import { type DeliveryTimes, WebhookDeliverer } from "../../schema/webhooks/deliverer.js";
import { silentLog } from "./connection-fixtures.js";

/** A process that delivers webhooks until it is killed: its arguments are the database and the times as JSON. */
const [, , databaseUrl = "", times = "{}"] = process.argv;
new WebhookDeliverer({
  databaseUrl,
  log: silentLog,
  privateNetworks: ["127.0.0.1"],
  times: JSON.parse(times) as Partial<DeliveryTimes>,
}).start();
process.on("disconnect", () => process.exit());
