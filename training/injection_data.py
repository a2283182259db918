"""Files of examples and pairs for the injection model, and the log of a training."""

import json
import lzma
import time

ORIGINS = ["user", "system", "tool_result", "document", "tool_definition"]
# Word pieces that tell the encoder the origin of a text.
PREFIXES = [f"[unused{number + 1}]" for number in range(len(ORIGINS))]

# Languages of the translated requests of CyberSecEval.
LANGUAGES = {"Portuguese": "pt", "Spanish": "es", "Italian": "it", "German": "de", "French": "fr", "Hindi": "hi", "Thai": "th"}

STARTED = time.monotonic()


def log(*words):
    print(f"[{time.monotonic() - STARTED:6.1f}]", *words, flush=True)


def write_examples(path, items):
    with lzma.open(path, "wt", encoding="utf-8") as file:
        for item in items:
            file.write(json.dumps(item, ensure_ascii=False) + "\n")


def read_examples(path):
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
