"""An agent of the OpenAI Agents SDK with tools of its own and of an MCP server."""

import asyncio

from agents import Agent, Runner, function_tool
from agents.mcp import MCPServerStreamableHttp
from task import MCP_HEADERS, MCP_URL, MODEL, PROMPT, read_file, run_command


async def main() -> None:
    async with MCPServerStreamableHttp({"url": MCP_URL, "headers": MCP_HEADERS}) as server:
        agent = Agent(
            name="Analyst",
            instructions="Complete tasks with the tools.",
            model=MODEL,
            tools=[function_tool(read_file), function_tool(run_command)],
            mcp_servers=[server],
        )
        print((await Runner.run(agent, PROMPT)).final_output)


asyncio.run(main())
