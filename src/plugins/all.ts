/** Every plugin by its name. */
import type { Plugin } from "./plugin.ts";

export const plugins: ReadonlyMap<string, Plugin> = new Map();
