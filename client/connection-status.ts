/**
 * The connection of a client's subscriptions: there are none (`idle`), it is being opened, it is open, or it was lost and
 * will be opened again after a delay.
 */
export type ConnectionState = "idle" | "connecting" | "open" | "lost";

/** The present state of a connection, and who listens to its changes. */
export class ConnectionStatus {
  #state: ConnectionState = "idle";
  readonly #listeners = new Set<(state: ConnectionState) => void>();

  get state(): ConnectionState {
    return this.#state;
  }

  set state(state: ConnectionState) {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  }

  /** @returns ends listening */
  listen(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
