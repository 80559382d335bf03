import { expect, test } from "@jest/globals";
import { keepTicksFast, keptTick } from "../../cli/process/fast-ticks.js";

test("the object of a call of process.nextTick is kept, with the members that all of them have", async () => {
  keepTicksFast();
  await new Promise((resolve) => process.nextTick(resolve));
  expect(keptTick).toMatchObject({ callback: expect.any(Function) });
  expect(keptTick).toHaveProperty("args");
});
