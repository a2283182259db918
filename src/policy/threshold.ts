/** How sure a match must be before a detector tells it: a member of its settings. */
import { z } from "zod";

export const Threshold = z.number().min(0).max(1).default(0.7);
