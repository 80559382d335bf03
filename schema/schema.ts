import type { GraphQLSchema } from "graphql";
import "./account.js";
import "./account-restriction.js";
import "./announcement.js";
import "./block.js";
import { builder } from "./builder.js";
import "./chain.js";
import "./finalization.js";
import "./hash-lock.js";
import "./merkle.js";
import "./metadata.js";
import "./metal.js";
import "./mosaic.js";
import "./mosaic-restriction.js";
import "./multisig.js";
import "./namespace.js";
import "./namespace-name.js";
import "./node.js";
import "./secret-lock.js";
import "./state-path.js";
import "./statement.js";
import "./status.js";
import "./subscription.js";
import "./transaction.js";

/** Everything that can be asked and listened to. Its printed form is `schema.graphql`. */
export const schema: GraphQLSchema = builder.toSchema();
