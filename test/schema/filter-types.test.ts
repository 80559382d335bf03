import { describe, expect, test } from "@jest/globals";
import type { Db } from "../../database/database.js";
import { noOthers } from "../../database/lists/page.js";
import { mosaics } from "../../database/queries/state-lists.js";
import { searchList } from "../../schema/graph/page.js";

/** The compiler fails where a comment expects an error that does not occur. */
describe("the types of filters", () => {
  test("do not allow an argument that the filter of a list lacks", async () => {
    const noDatabase = (): Db => {
      throw new Error("no database");
    };
    const page = { pageNumber: 1 };
    // @ts-expect-error mosaics have no color
    const ofColor = searchList(mosaics.search, { page, color: 1 }, noDatabase);
    const ofOwner = searchList(mosaics.search, { page, ownerAddress: Buffer.alloc(24) }, noDatabase);
    await expect(ofColor).rejects.toThrow("no database");
    await expect(ofOwner).rejects.toThrow("no database");
  });

  test("do not allow a query to leave out a condition", () => {
    const { known, ...others } = { known: 1, forgotten: 2 };
    const { forgotten, ...nothing } = others;
    // @ts-expect-error a condition is left
    noOthers(others);
    noOthers(nothing);
    expect({ known, forgotten }).toEqual({ known: 1, forgotten: 2 });
  });
});
