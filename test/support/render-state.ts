import type { StateKind } from "../../catapult/state/kind.js";
import { NAMESPACE_BODY } from "../../catapult/state/namespace.js";
import { decodeState, type KindWithBody, renderState as render } from "../../catapult/state/state.js";

/**
 * The REST body of a state value; for a namespace without the parts that change with the head.
 * @param key that the value was requested by: of a child namespace its own, although the value is its root's
 */
export function renderState(kind: StateKind, value: Buffer, key: Buffer, id = ""): unknown {
  if (kind !== "namespace") return JSON.parse(render(kind as KindWithBody, decodeState(kind, value) as never, id));
  const root = decodeState(kind, value);
  const entry = root.entries.find((one) => one.id === key.readBigUInt64LE());
  if (!entry) throw new Error(`The root's value has no namespace ${key.toString("hex")}`);
  return JSON.parse(NAMESPACE_BODY.render({ root, entry }, { id, meta: { index: 0 } }));
}
