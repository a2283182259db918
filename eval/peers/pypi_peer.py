"""Runs a library from PyPI over the texts on standard input.

Usage: python3 eval/peers/pypi_peer.py NAME TASK

Prints one JSON object per text: {"isFlagged", "score", "spans", "time"}. Offsets are UTF-16 code units.
"""

import contextlib
import importlib.util
import json
import sys
import tempfile
import time

# Settings that are in force until the process ends.
OPEN = contextlib.ExitStack()


def presidio_analyzer():
    import spacy
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    installed = [name for name in ("en_core_web_lg", "en_core_web_sm") if importlib.util.find_spec(name)]

    class Engine(SpacyNlpEngine):
        def load(self):
            self.nlp = {"en": spacy.load(installed[0]) if installed else spacy.blank("en")}

    engine = Engine(models=[{"lang_code": "en", "model_name": "en"}])
    engine.load()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])

    def read(text):
        found = analyzer.analyze(text, language="en", score_threshold=0.4)
        return [(each.entity_type, each.start, each.end, each.score) for each in found]

    return read


def detect_secrets():
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings

    OPEN.enter_context(default_settings())

    def read(text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            secrets = SecretsCollection()
            secrets.scan_file(file.name)
        found = []
        for _, secret in secrets:
            start = text.find(secret.secret_value)
            if start >= 0:
                found.append(("secret", start, start + len(secret.secret_value), 1.0))
        # Several plugins report the same value.
        return sorted(set(found))

    return read


def alt_profanity_check():
    from profanity_check import predict_prob

    def read(text):
        score = float(predict_prob([text])[0])
        return [("toxicity", 0, len(text), score)] if score >= 0.5 else score

    return read


ADAPTERS = {
    "presidio-analyzer": presidio_analyzer,
    "detect-secrets": detect_secrets,
    "alt-profanity-check": alt_profanity_check,
}


def to_utf16(text, offset):
    return len(text[:offset].encode("utf-16-le")) // 2


def main():
    read = ADAPTERS[sys.argv[1]]()
    texts = json.load(sys.stdin)
    for text in texts[:20]:
        read(text)
    for text in texts:
        began, cpu = time.perf_counter(), time.process_time()
        found = read(text)
        used = {"ms": (time.perf_counter() - began) * 1000, "cpu_us": (time.process_time() - cpu) * 1e6}
        below, spans = (found, []) if isinstance(found, float) else (0.0, found)
        reading = {
            "isFlagged": bool(spans),
            "score": max([score for *_, score in spans], default=below),
            "spans": [
                {"type": kind, "start": to_utf16(text, start), "end": to_utf16(text, end)}
                for kind, start, end, _ in spans
            ],
            "time": used,
        }
        print(json.dumps(reading), flush=True)


if __name__ == "__main__":
    main()
