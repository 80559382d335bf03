import diagnostics from "node:diagnostics_channel";
import { syncBuiltinESMExports } from "node:module";

/** Loaded before a gateway: it becomes one whose code reports nothing to tracing. The baseline of the cost of tracing. */

const { tracingChannel } = diagnostics;
const none = { hasSubscribers: false, tracePromise: <Result>(work: () => Result): Result => work() };
diagnostics.tracingChannel = ((name: string) =>
  name.startsWith("symbol-gateway.") ? none : tracingChannel(name)) as unknown as typeof tracingChannel;
syncBuiltinESMExports();
