"""An agent with tools of its own and of an MCP server."""

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from task import MCP_HEADERS, MCP_URL, MODEL, PROMPT, read_file, run_command

agent = Agent(
    f"openai-chat:{MODEL}",
    instructions="Complete tasks with the tools.",
    tools=[read_file, run_command],
    toolsets=[MCPToolset(MCP_URL, headers=MCP_HEADERS)],
)
print(agent.run_sync(PROMPT).output)
