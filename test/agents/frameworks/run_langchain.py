"""An agent with tools of its own and of an MCP server."""

import asyncio

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from task import MCP_HEADERS, MCP_URL, MODEL, PROMPT, read_file, run_command


async def main() -> None:
    server = {"url": MCP_URL, "transport": "streamable_http", "headers": MCP_HEADERS}
    tools = await MultiServerMCPClient({"portcullis": server}).get_tools()
    agent = create_agent(f"openai:{MODEL}", tools=[read_file, run_command, *tools])
    state = await agent.ainvoke({"messages": [{"role": "user", "content": PROMPT}]})
    print(state["messages"][-1].content)


asyncio.run(main())
