"""Splits text into word pieces, as src/policy/learned/word-pieces.ts does."""

import multiprocessing
import re
import unicodedata

from tokenizers import pre_tokenizers

MAX_WORD_CHARACTERS = 100
IDEOGRAPH = re.compile("([\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002ceaf])")
# Accents, and what cannot be seen. Marks of other scripts are vowels and stay.
IGNORED = re.compile("[\u0300-\u036f\ufffd]")
NOT_LATIN = re.compile("[^\0-\u024f]")


def normalize_word(word):
    lower = word.lower()
    if lower.isascii():
        return lower
    letters = IGNORED.sub("", unicodedata.normalize("NFD", lower))
    return unicodedata.normalize("NFC", "".join(c for c in letters if unicodedata.category(c) not in ("Cc", "Cf")))


def split_words(text):
    """Returns (word, start, end) of the normalized words of a text."""
    for raw, (start, end) in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text):
        for part in IDEOGRAPH.split(raw):
            word = normalize_word(part) if part else ""
            if word:
                yield word, start, end


class WordPieces:
    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.unknown = vocabulary["[UNK]"]
        self.max_length = max(len(name) for name in vocabulary)
        self.cache = {}

    def split_word(self, word):
        if word not in self.cache:
            self.cache[word] = self.match_long(word) if len(word) > MAX_WORD_CHARACTERS else self.match(word)
        return self.cache[word]

    def match_long(self, word):
        """Some scripts have no spaces: there, a long word is a sentence. In Latin letters, it is data."""
        if not NOT_LATIN.search(word):
            return [self.unknown]
        parts = [word[at : at + MAX_WORD_CHARACTERS] for at in range(0, len(word), MAX_WORD_CHARACTERS)]
        return [piece for part in parts for piece in self.match(part)]

    def match(self, word):
        """Returns the longest pieces, from left to right. Neighboring characters without a piece are one unknown piece."""
        pieces, start = [], 0
        while start < len(word):
            end = min(len(word), start + self.max_length)
            piece = None
            while end > start and piece is None:
                piece = self.vocabulary.get(word[start:end] if start == 0 else "##" + word[start:end])
                end -= piece is None
            if piece is not None:
                pieces.append(piece)
            elif not pieces or pieces[-1] != self.unknown:
                pieces.append(self.unknown)
            start = max(end, start + 1)
        return pieces

    def encode(self, text):
        """Returns the ids, and for each the offsets of its word."""
        ids, offsets = [], []
        for word, start, end in split_words(text):
            for piece in self.split_word(word):
                ids.append(piece)
                offsets.append((start, end))
        return ids, offsets


def encode_all(texts, vocabulary):
    """Splits texts in parallel."""
    with multiprocessing.get_context("fork").Pool(initializer=share_pieces, initargs=(vocabulary,)) as pool:
        return pool.map(encode_one, texts, chunksize=200)


def share_pieces(vocabulary):
    global shared_pieces
    shared_pieces = WordPieces(vocabulary)


def encode_one(text):
    return shared_pieces.encode(text)
