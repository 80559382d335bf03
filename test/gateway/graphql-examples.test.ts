import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type DocumentNode, Kind, parse, validate } from "graphql";
import { encodeAddress } from "../../catapult/entity/address.js";
import { idText } from "../../catapult/json/format.js";
import { schema } from "../../schema/schema.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { RestStack } from "../support/rest-stack.js";
import { writeStateScenario } from "../support/state-scenario.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";

const docs = readFileSync(new URL("../../../docs/graphql.md", import.meta.url), "utf8");
const examples = [...docs.matchAll(/^### (\d+\. .+?)\n[\s\S]*?```graphql\n([\s\S]*?)```/gm)].map(
  ([, title = "", text = ""]) => [title, text] as const,
);

let variables: Readonly<Record<string, unknown>>;

const stack = RestStack.use({
  populate: async ({ devnet }) => {
    const { alice, bob } = await writeStateScenario(devnet);
    devnet.announce(aggregatePayload(devnet, alice, bob, 5n));
    await devnet.harvest(1);
  },
});

beforeAll(async () => {
  const { devnet } = stack.node;
  const [alice, bob] = [stack.node.account("alice"), stack.node.account("bob")];
  devnet.announce(transferPayload(devnet, alice, bob.address, 3n));
  const { db } = stack.index;
  const aggregate = await db
    .selectFrom("transactions")
    .select("hash")
    .where("type", "=", 2 * 0x4141)
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  const newest = await db
    .selectFrom("blocks")
    .innerJoin("keys", "keys.id", "blocks.beneficiary")
    .select("keys.key as beneficiaryAddress")
    .orderBy("blocks.height", "desc")
    .executeTakeFirstOrThrow();
  variables = {
    hash: aggregate.hash?.toString("hex"),
    address: encodeAddress(alice.address),
    mosaicId: idText(devnet.currencyMosaicId),
    height: devnet.height - 2,
    namespaceId: idText(namespaceIdOf("devnet.alice")),
    harvester: encodeAddress(newest.beneficiaryAddress),
  };
});

/** Names of the variables of a document. */
function variablesOf({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
      : [],
  );
}

describe("the ten example queries of the documentation", () => {
  test("are ten", () => {
    expect(examples.map(([title]) => title.split(".")[0])).toEqual(Array.from({ length: 10 }, (_, i) => String(i + 1)));
  });

  test.each(examples)("%s", async (title, query) => {
    const names = variablesOf(parse(query));
    const values = Object.fromEntries(names.map((name) => [name, variables[name]]));
    if (title.includes("harvesting")) values.address = variables.harvester;
    expect({ title, unknown: names.filter((name) => values[name] === undefined) }).toEqual({ title, unknown: [] });
    const { data, errors } = await stack.ask(query, values);
    expect({ title, errors }).toEqual({ title, errors: undefined });
    for (const [name, answer] of Object.entries(data ?? {})) {
      expect({ name, isThere: answer !== null && JSON.stringify(answer) !== "[]" }).toEqual({ name, isThere: true });
    }
  });

  test("and the other examples fit the schema", () => {
    for (const [, text = ""] of docs.matchAll(/```graphql\n([\s\S]*?)```/g)) {
      expect({ text, errors: validate(schema, parse(text)) }).toEqual({ text, errors: [] });
    }
  });
});
