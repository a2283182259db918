/** Members of a responses request that are accepted and dropped, by the object that contains them. */
export const RESPONSES_DROPPED = {
  request: [
    "client_metadata",
    "include",
    "max_tool_calls",
    "metadata",
    "moderation",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "service_tier",
    "store",
    "stream_options",
    "truncation",
  ],
  reasoning: ["generate_summary", "context"],
  text: ["verbosity"],
  format: ["description"],
  // `parsed` and `parsed_arguments` are from the helpers of the OpenAI SDK.
  item: ["caller", "id", "parsed_arguments", "phase", "status"],
  part: ["annotations", "logprobs", "parsed", "prompt_cache_breakpoint"],
  tool: ["allowed_callers", "defer_loading", "output_schema"],
  namespace: ["description"],
  /** Types of tools: Codex sends them with every request. */
  tools: ["web_search", "web_search_preview"],
} as const;
