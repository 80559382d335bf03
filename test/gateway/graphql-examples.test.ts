import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
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

let stack: RestStack;
let variables: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  stack = await RestStack.start({
    populate: async ({ devnet }) => {
      const { alice, bob } = await writeStateScenario(devnet);
      devnet.announce(aggregatePayload(devnet, alice, bob, 5n));
      await devnet.harvest(1);
    },
  });
  const { devnet } = stack.node;
  const [alice, bob] = devnet.accounts;
  if (!alice || !bob) throw new Error("the devnet has too few accounts");
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

afterAll(() => stack?.stop());

async function ask(query: string, values: object) {
  const response = await fetch(`${stack.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, variables: values }),
  });
  return (await response.json()) as { data?: Record<string, unknown>; errors?: readonly { message: string }[] };
}

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
    const { data, errors } = await ask(query, values);
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
