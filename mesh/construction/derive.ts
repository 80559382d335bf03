import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { buildAccount } from "../standard/amounts.js";
import { endpoint } from "../standard/endpoint.js";
import { ConstructionDeriveRequest, type ConstructionDeriveResponse } from "../standard/schemas.js";
import { readPublicKey } from "./public-keys.js";

/** The account of a public key. */
export const derive = endpoint<typeof ConstructionDeriveRequest, ConstructionDeriveResponse>({
  path: "/construction/derive",
  request: ConstructionDeriveRequest,
  answer: ({ public_key: key }, { network }) => {
    const address = addressOfPublicKey(readPublicKey(key, "public_key"), network.addressPrefix);
    return { account_identifier: buildAccount(address) };
  },
});
