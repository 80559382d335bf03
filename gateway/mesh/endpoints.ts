import { constructionEndpoints } from "./construction/endpoints.js";
import { networkList, networkOptions, networkStatus } from "./data/network.js";
import type { Endpoint } from "./standard/endpoint.js";

/** Every endpoint of Mesh. */
export const endpoints: readonly Endpoint[] = [networkList, networkOptions, networkStatus, ...constructionEndpoints];
