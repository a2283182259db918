"""A crew of one agent with tools of its own and of an MCP server."""

from crewai import LLM, Agent, Crew, Task
from crewai.mcp import MCPServerHTTP
from crewai.tools import tool
from task import MCP_HEADERS, MCP_URL, MODEL, PROMPT, read_file, run_command

agent = Agent(
    role="Analyst",
    goal="Complete tasks with the tools.",
    backstory="You work carefully.",
    llm=LLM(model=f"openai/{MODEL}"),
    tools=[tool(read_file), tool(run_command)],
    mcps=[MCPServerHTTP(url=MCP_URL, headers=MCP_HEADERS)],
)
task = Task(description=PROMPT, expected_output="A short report.", agent=agent)
print(Crew(agents=[agent], tasks=[task]).kickoff())
