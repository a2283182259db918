/** What a plugin is: a step of the data plane that a gateway asks for by name, with settings of its own. */
import type { z } from "zod";

export interface Plugin {
  name: string;
  summary: string;
  stages: readonly string[];
  /** Checked when the gateway is saved, so that a running plugin never meets a wrong setting. */
  settings: z.ZodType;
}
