import { setTimeout as sleep } from "node:timers/promises";
import { requestKinds } from "../support/request-kinds.js";
import type { Attack } from "./attack.js";
import type { GatewayForm } from "./attacked-gateway.js";

const REQUESTS = 10_000;
const AT_ONCE = 16;
const LONGEST_MS = 2;
/** Pause of a client whose connection was rejected. */
const REJECTED_MS = 20;

/** Requests of every kind of route, whose clients leave at a random moment, in each way in which a client can leave. */
function aborts(name: string, where: string, gateway: GatewayForm): Attack {
  return {
    name: `aborts-${name}`,
    about: `10,000 requests of every kind, aborted at a random moment within ${LONGEST_MS} ms, ${where}.`,
    gateway,
    ends: true,
    run: async ({ graphqlToken, height }, hostile) => {
      const kinds = requestKinds(graphqlToken, height);
      let sent = 0;
      const abort = async (): Promise<void> => {
        while (sent < REQUESTS && !hostile.hasEnded) {
          const socket = await hostile.connect();
          if (!socket) {
            await sleep(REJECTED_MS);
            continue;
          }
          const n = sent++;
          const [, request] = kinds[Math.floor(Math.random() * kinds.length)]!;
          const text = request(n);
          // Some leave while they send, and some have sent two.
          socket.write(n % 7 === 0 ? text.slice(0, text.length / 2) : n % 7 === 1 ? text + request(n + 1) : text);
          const end = performance.now() + Math.random() * LONGEST_MS;
          while (performance.now() < end) await new Promise(setImmediate);
          if (n % 3 === 0) socket.end();
          if (n % 2 === 0 && !gateway.isTls) socket.resetAndDestroy();
          else socket.destroy();
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, abort));
    },
  };
}

export const abortAttacks: readonly Attack[] = [
  aborts("http", "over HTTP", {}),
  aborts("https", "over HTTPS", { isTls: true }),
];
