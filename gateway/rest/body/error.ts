import { z } from "zod";
import { type ErrorCode, errorCodes } from "../../../schema/services/errors.js";

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

export const ModelError = z
  .object({
    code: z.enum(codes).describe("Error code; each code has one HTTP status."),
    message: z.string().describe("What is wrong and what is valid, for people."),
  })
  .meta({ id: "ModelError", description: "The body of every error." });
