"""Collects translated sentences: those of our own texts, and the messages and help pages of programs.

Usage: python3 training/collect_pairs.py DATA_FOLDER CLEAN_FOLDER OUTPUT.jsonl.xz

CLEAN_FOLDER has what training/fetch.sh downloads. A pair is {"english", "text", "lang", "source"}.
"""

import glob
import gettext
import html
import json
import os
import random
import re
import sys

from injection_data import LANGUAGES, write_examples

random.seed(17)
HERE = os.path.dirname(os.path.abspath(__file__))
# Pages of help are long and alike.
MAX_HELP_PAIRS = 20_000


class Pairs:
    """Collects pairs without duplicates."""

    def __init__(self):
        self.items = []
        self.seen = set()

    def add(self, source, lang, english, text):
        english, text = clean(english), clean(text)
        is_sentence = 8 <= len(english) <= 500 and " " in english and len(text) >= 3
        if is_sentence and english.lower() != text.lower() and (lang, text) not in self.seen:
            self.seen.add((lang, text))
            self.items.append({"english": english, "text": text, "lang": lang, "source": source})


def clean(text):
    """Removes markup, placeholders and the marks of access keys."""
    text = html.unescape(re.sub(r"<[^>]+>", "", text))
    text = re.sub(r"\{[^{}]*\}|\$\w+\$?|%\d?\$?[sSd@]|[~_&](?=\w)", "", text)
    return re.sub(r"\s+", " ", text).strip(" :…")


def add_own(pairs):
    for path in sorted(glob.glob(os.path.join(HERE, "texts", "**", "*.jsonl"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            for row in map(json.loads, file):
                if "english" in row:
                    pairs.add("own", row["lang"], row["english"], row["text"])


def add_requests(pairs, data):
    with open(f"{data}/train/cse_mitre_frr/frr_multilingual_machine_translated.json", encoding="utf-8") as file:
        for row in json.load(file):
            pairs.add("requests", LANGUAGES[row["speaking_language"]], row["original_english_prompt"], row["mutated_prompt"])


def read_fluent(path):
    """Returns the messages of a Fluent file that have no variants, by name."""
    messages, name, part = {}, None, None
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            message = re.match(r"(-?[\w-]+) =\s*(.*)$", line)
            attribute = re.match(r"\s+\.([\w-]+) =\s*(.*)$", line)
            if message:
                name = part = message.group(1)
                messages[part] = message.group(2)
            elif attribute and name:
                part = f"{name}.{attribute.group(1)}"
                messages[part] = attribute.group(2)
            elif part and line.startswith((" ", "}")):
                messages[part] += " " + line.strip()
    return {name: text for name, text in messages.items() if "->" not in text and not name.endswith("accesskey")}


def read_properties(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return dict(re.findall(r"^([\w.-]+)\s*=\s*(.*)$", file.read(), re.M))


def read_messages(folder):
    """Returns the messages of all files below a folder, by file and name."""
    found = {}
    for path in sorted(glob.glob(f"{folder}/**/*", recursive=True)):
        for suffix, read in ((".ftl", read_fluent), (".properties", read_properties)):
            if path.endswith(suffix):
                found.update({(os.path.basename(path), name): text for name, text in read(path).items()})
    return found


def add_firefox(pairs, folder):
    english = read_messages(f"{folder}/firefox-en")
    for path in sorted(glob.glob(f"{folder}/firefox-*")):
        lang = os.path.basename(path).removeprefix("firefox-")[:2]
        for name, text in read_messages(path).items() if lang != "en" else ():
            if name in english:
                pairs.add("firefox", lang, english[name], text)


def add_office(pairs, folder):
    for path in sorted(glob.glob(f"{folder}/office-*")):
        lang = os.path.basename(path).removeprefix("office-")[:2]
        for catalog in sorted(glob.glob(f"{path}/**/*.mo", recursive=True)):
            with open(catalog, "rb") as file:
                messages = gettext.GNUTranslations(file)._catalog
            for english, text in messages.items():
                if isinstance(english, str) and isinstance(text, str):
                    pairs.add("office", lang, english.split("\x04")[-1], text)


def read_paragraphs(path):
    with open(path, encoding="utf-8") as file:
        return dict(re.findall(r'<(?:p|h\d)\s[^>]*id="([^"]+)"[^>]*dir="auto"[^>]*>(.*?)</(?:p|h\d)>', file.read(), re.S))


def add_help(pairs, folder):
    [root] = glob.glob(f"{folder}/help-en-us/**/en-US/text", recursive=True)
    english = {os.path.relpath(path, root): read_paragraphs(path) for path in sorted(glob.glob(f"{root}/**/*.html", recursive=True))}
    for path in sorted(set(glob.glob(f"{folder}/help-*")) - {f"{folder}/help-en-us", f"{folder}/help-zh-tw"}):
        lang = os.path.basename(path).removeprefix("help-")[:2]
        [other] = glob.glob(f"{path}/**/text", recursive=True)
        found = []
        for name, paragraphs in english.items():
            page = os.path.join(other, name)
            translated = read_paragraphs(page) if os.path.exists(page) else {}
            found += [(paragraphs[part], text) for part, text in translated.items() if part in paragraphs and paragraphs[part] != text]
        for one, text in random.sample(found, min(MAX_HELP_PAIRS, len(found))):
            pairs.add("help", lang, one, text)


def main():
    data, folder, output = sys.argv[1:]
    pairs = Pairs()
    add_own(pairs)
    add_requests(pairs, data)
    add_firefox(pairs, folder)
    add_office(pairs, folder)
    add_help(pairs, folder)
    write_examples(output, pairs.items)
    counts = {}
    for pair in pairs.items:
        counts.setdefault(pair["lang"], {}).setdefault(pair["source"], []).append(pair)
    for lang, sources in sorted(counts.items()):
        print(lang, {source: len(items) for source, items in sorted(sources.items())})


if __name__ == "__main__":
    main()
