import cluster, { type Worker } from "node:cluster";
import { type ConnectAttempt, NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import type { NodeAnswer, NodeLink, NodeQuery } from "../../catapult/wire/node-link.js";

/** An error in serializable form: errors lose their class between processes. */
type SentError =
  | { readonly kind: "unavailable"; readonly attempts: readonly ConnectAttempt[]; readonly retryInMs: number }
  | { readonly kind: "node"; readonly name: string; readonly node: string; readonly reason: string }
  | { readonly kind: "other"; readonly message: string };

type ToParent =
  | { readonly nodeRequest: number; readonly question: NodeQuery }
  | { readonly nodeRequest: number; readonly push: Parameters<NodeLink["push"]> };

interface ToWorker {
  /** The number of the request. */
  readonly nodeAnswer: number;
  readonly answer?: NodeAnswer | undefined;
  readonly error?: SentError;
  /** The currently connected node. */
  readonly connected: NodeLink["connectedNode"];
}

/**
 * In the parent of workers: sends the requests of all of them over one link, because a node allows few connections
 * per identity. Messages between the processes must be serialized as `advanced`, which keeps Buffers.
 */
export function relayNode(link: NodeLink): void {
  cluster.on("message", async (worker: Worker, message: unknown) => {
    if (typeof message !== "object" || message === null || !("nodeRequest" in message)) return;
    const request = message as ToParent;
    const reply = await answer(link, request).catch((error) => ({ error: sentError(error) }));
    if (!worker.isConnected()) return;
    const { nodeRequest: nodeAnswer } = request;
    worker.send({ nodeAnswer, ...reply, connected: link.connectedNode } satisfies ToWorker, () => undefined);
  });
}

async function answer(link: NodeLink, request: ToParent): Promise<{ answer?: NodeAnswer }> {
  if ("question" in request) return { answer: await link.request(request.question) };
  await link.push(...request.push);
  return {};
}

/** In a worker: the link of its parent; undefined in other processes. */
export function relayedNodeLink(): NodeLink | undefined {
  return cluster.isWorker ? new RelayedNodeLink() : undefined;
}

interface Pending {
  readonly resolve: (answer: NodeAnswer | undefined) => void;
  readonly reject: (error: Error) => void;
}

class RelayedNodeLink implements NodeLink {
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #connected: NodeLink["connectedNode"];
  #closed: string | undefined;

  constructor() {
    process.on("message", this.#onMessage);
    process.once("disconnect", this.#onDisconnect);
  }

  get connectedNode() {
    return this.#connected;
  }

  async request(question: NodeQuery): Promise<NodeAnswer> {
    return (await this.#send((nodeRequest) => ({ nodeRequest, question }))) as NodeAnswer;
  }

  async push(...push: Parameters<NodeLink["push"]>): Promise<void> {
    await this.#send((nodeRequest) => ({ nodeRequest, push }));
  }

  async close(): Promise<void> {
    process.off("message", this.#onMessage).off("disconnect", this.#onDisconnect);
    this.#end("the gateway is stopping");
  }

  readonly #onDisconnect = () => this.#end("the parent process is gone");

  readonly #onMessage = (message: unknown) => {
    if (typeof message !== "object" || message === null || !("nodeAnswer" in message)) return;
    const { nodeAnswer, answer, error, connected } = message as ToWorker;
    this.#connected = connected;
    const pending = this.#pending.get(nodeAnswer);
    this.#pending.delete(nodeAnswer);
    if (error) pending?.reject(receivedError(error));
    else pending?.resolve(answer);
  };

  #send(message: (id: number) => ToParent): Promise<NodeAnswer | undefined> {
    if (this.#closed !== undefined) return Promise.reject(unavailable(this.#closed));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      process.send?.(message(id), undefined, undefined, (error) => {
        if (error && this.#pending.delete(id)) reject(unavailable(error.message));
      });
    });
  }

  #end(reason: string): void {
    this.#closed = reason;
    for (const { reject } of this.#pending.values()) reject(unavailable(reason));
    this.#pending.clear();
  }
}

function unavailable(reason: string): NodeUnavailableError {
  return new NodeUnavailableError([{ node: "", reason }], Number.POSITIVE_INFINITY);
}

function sentError(error: unknown): SentError {
  if (error instanceof NodeUnavailableError) {
    return { kind: "unavailable", attempts: error.attempts, retryInMs: error.retryInMs };
  }
  if (error instanceof NodeError) return { kind: "node", name: error.name, node: error.node, reason: error.reason };
  return { kind: "other", message: error instanceof Error ? error.message : String(error) };
}

function receivedError(error: SentError): Error {
  if (error.kind === "unavailable") return new NodeUnavailableError(error.attempts, error.retryInMs);
  if (error.kind === "other") return new Error(`the parent process failed: ${error.message}`);
  return Object.assign(new NodeError(error.node, error.reason), { name: error.name });
}
