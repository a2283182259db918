"""Chooses the vocabulary of the injection model: the English word pieces that the texts need, then pieces of other languages.

Usage: python3 training/choose_pieces.py EXAMPLES.jsonl.xz PAIRS.jsonl.xz ENCODER_FOLDER PIECES.txt

Writes a piece per line, with an empty line before those of other languages.
"""

import collections
import os
import sys

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from injection_data import PREFIXES, log, read_examples
from word_pieces import NOT_LATIN, encode_all, split_words

SEED = 17
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *PREFIXES]
ENGLISH_PIECES = 16_000
FOREIGN_PIECES = 11_000
# Letters and ideographs of other scripts: rarer ones are unknown.
LETTERS = 3_400
# Words of each language that its share of the pieces is computed from, and how often a word of ours may be drawn.
LANGUAGE_WORDS = 120_000
REPETITIONS = 6


def choose_english(full, texts):
    """Keeps the special pieces, the letters, and the pieces that are most frequent in the texts, in their order."""
    counts = np.zeros(len(full), np.int64)
    for ids, _ in encode_all(texts, full):
        np.add.at(counts, ids, 1)
    names = sorted(full, key=full.get)
    limit = np.sort(counts)[-ENGLISH_PIECES]

    def keeps(name):
        is_letter = len(name.removeprefix("##")) == 1 and ord(name[-1]) < 0x250
        return name in SPECIAL or is_letter or (counts[full[name]] >= max(limit, 1) and not NOT_LATIN.search(name))

    return [name for name in names if keeps(name)]


def choose_foreign(english, own, others):
    """Returns the pieces that the languages need most. Half of the words are from our own texts, which are like what the model reads."""
    rng = np.random.default_rng(SEED)
    sample = []
    for lang in sorted(own):
        words = [[word for text in texts[lang] for word, _, _ in split_words(text)] for texts in (own, others)]
        count = min(LANGUAGE_WORDS, REPETITIONS * len(words[0]))
        for part in filter(None, words):
            sample += [part[number] for number in rng.integers(0, len(part), count)]
        log(f"{lang}: {len(words[0])} words of our own, {len(words[1])} others, {count} drawn of each")
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(vocab_size=FOREIGN_PIECES * 3 // 2, limit_alphabet=LETTERS, min_frequency=12, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator((" ".join(sample[at : at + 1000]) for at in range(0, len(sample), 1000)), trainer)
    found = tokenizer.get_vocab()
    known = set(english)
    return [name for name in sorted(found, key=found.get) if name not in known][:FOREIGN_PIECES]


def main():
    examples_path, pairs_path, folder, output = sys.argv[1:]
    examples = [item for item in read_examples(examples_path) if item["split"] == "train"]
    pairs = read_examples(pairs_path)
    full = Tokenizer.from_file(os.path.join(folder, "tokenizer.json")).get_vocab()
    english = choose_english(full, [item["text"] for item in examples if item["lang"] == "en"])
    own, others = collections.defaultdict(list), collections.defaultdict(list)
    for item in examples + pairs:
        if item["lang"] != "en":
            texts = own if item["source"].startswith(("own", "message")) else others
            texts[item["lang"][:2]].append(item["text"])
    foreign = choose_foreign(english, own, others)
    log(f"{len(english)} English pieces, {len(foreign)} others")
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join([*english, "", *foreign]))


if __name__ == "__main__":
    main()
