import { endpoint } from "../standard/endpoint.js";
import { MeshError } from "../standard/errors.js";
import { CallRequest, type CallResponse } from "../standard/schemas.js";

/** `/network/options` lists no methods. */
export const call = endpoint<typeof CallRequest, CallResponse>({
  path: "/call",
  request: CallRequest,
  answer: ({ method }) => {
    throw new MeshError("notImplemented", { method });
  },
});
