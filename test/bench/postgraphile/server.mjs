// PostGraphile over the tables of the schema `plain`, as its documentation sets it up for production.
import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ["plain"] })],
  grafast: { explain: false },
  grafserv: { graphqlPath: "/graphql", graphqlOverGET: true, graphiql: false, websockets: false, watch: false },
};
const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
