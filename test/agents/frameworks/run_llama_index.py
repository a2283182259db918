"""A function agent with tools of its own and of an MCP server."""

import asyncio
import os

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
from task import MCP_HEADERS, MCP_URL, MODEL, PROMPT, read_file, run_command


async def main() -> None:
    llm = OpenAILike(
        model=MODEL,
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ["OPENAI_API_KEY"],
        is_chat_model=True,
        is_function_calling_model=True,
    )
    tools = await McpToolSpec(BasicMCPClient(MCP_URL, headers=MCP_HEADERS)).to_tool_list_async()
    agent = FunctionAgent(llm=llm, tools=[read_file, run_command, *tools])
    print(await agent.run(PROMPT))


asyncio.run(main())
