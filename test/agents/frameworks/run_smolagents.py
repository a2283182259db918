"""A code agent with tools of its own and of an MCP server."""

import os

from smolagents import CodeAgent, MCPClient, OpenAIServerModel, tool
from task import MCP_HEADERS, MCP_URL, MODEL, PROMPT, read_file, run_command

model = OpenAIServerModel(MODEL, api_base=os.environ["OPENAI_BASE_URL"])
server = {"url": MCP_URL, "transport": "streamable-http", "headers": MCP_HEADERS}
with MCPClient(server, structured_output=False) as tools:
    agent = CodeAgent(tools=[tool(read_file), tool(run_command), *tools], model=model)
    print(agent.run(PROMPT))
