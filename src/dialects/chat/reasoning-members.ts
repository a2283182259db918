/** Members of an assistant's message in which servers return their reasoning as text. */
export const REASONING_MEMBERS: readonly string[] = ["reasoning_content", "reasoning"];
