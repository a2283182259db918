"""The tools of each program, and the settings of the guide."""

import os
import subprocess
import sys

PROMPT = sys.argv[1]
MODEL = "gpt-5.5"
MCP_URL = os.environ["MCP_URL"]
MCP_HEADERS = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}


def read_file(path: str) -> str:
    """Reads a text file.

    Args:
        path: Path of the file.
    """
    with open(path, encoding="utf-8") as file:
        return file.read()


def run_command(command: str) -> str:
    """Runs a shell command and returns what it prints.

    Args:
        command: The command line.
    """
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout
