import type { GraphQLSchema } from "graphql";
import "./announcement.js";
import "./block.js";
import { builder } from "./builder.js";
import "./chain.js";
import "./finalization.js";
import "./merkle.js";
import "./node.js";
import "./statement.js";
import "./status.js";
import "./subscription.js";
import "./transaction.js";

/** Everything that can be asked and listened to. Its printed form is `schema.graphql`. */
export const schema: GraphQLSchema = builder.toSchema();
