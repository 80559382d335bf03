import { z } from "zod";

export const EventStreamText = z
  .string()
  .meta({ description: "Server-sent events: each has the sequence as `id`, and a message of `/ws` as `data`." });
