import { TLSSocket } from "node:tls";

const open = new Set<TLSSocket>();
const { connect } = TLSSocket.prototype;

TLSSocket.prototype.connect = function (this: TLSSocket, ...parameters: unknown[]) {
  open.add(this);
  this.once("close", () => open.delete(this));
  return Reflect.apply(connect, this, parameters);
};

/** Number of TLS client sockets that this process has open or is opening: a check for leaks. */
export function openSocketCount(): number {
  return open.size;
}
