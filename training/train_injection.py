"""Trains the injection model: fine-tunes a pretrained encoder (the teacher) and distills it into a small model.

Usage: python3 training/train_injection.py EXAMPLES.jsonl.gz ENCODER_FOLDER OUTPUT_FOLDER

The small model reads windows of word pieces. A word piece has three rows in a table, one for each position of a
convolution of width three; the rows of neighbors are added, rectified and pooled over the window (maximum and mean), and
a small network with the origin of the text as input computes the score. The table is stored in 8 bits.
"""

import gzip
import json
import math
import os
import random
import re
import struct
import sys
import time

import numpy as np
import torch
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from torch import nn
from transformers import BertModel

SEED = 17
ORIGINS = ["user", "system", "tool_result", "document", "tool_definition"]
STRIDE = int(os.environ.get("STRIDE", 48))
WINDOW = 2 * STRIDE
CHANNELS = int(os.environ.get("CHANNELS", 96))
DIMENSIONS = 128
HIDDEN = 32
DEVICE = "cuda"


# Words of scripts that the encoder's vocabulary has only letters of are hashed to rows of their own.
BUCKETS = 8192


class WordPieces:
    """Splits text as src/policy/learned/word-pieces.ts does."""

    def __init__(self, tokenizer):
        self.vocabulary = tokenizer.get_vocab()
        self.size = len(self.vocabulary)
        self.unknown = self.vocabulary["[UNK]"]
        self.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)
        self.words = pre_tokenizers.BertPreTokenizer()
        self.cache = {}

    def split_word(self, word):
        if word in self.cache:
            return self.cache[word]
        pieces = self.match(word)
        self.cache[word] = pieces
        return pieces

    def match(self, word):
        if any(ord(letter) > 0x24F for letter in word):
            return [self.size + fnv(word) % BUCKETS]
        if len(word) > 100:
            return [self.unknown]
        pieces, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in self.vocabulary:
                    break
                end -= 1
            if end == start:
                return [self.unknown]
            pieces.append(self.vocabulary[piece])
            start = end
        return pieces

    def encode(self, text):
        """Returns the ids, and for each the offsets of its word."""
        ids, offsets = [], []
        for raw, (start, end) in self.words.pre_tokenize_str(text):
            parts = IDEOGRAPH.split(raw) if IDEOGRAPH.search(raw) else [raw]
            for part in parts:
                word = self.normalizer.normalize_str(part).strip() if part else ""
                for piece in self.split_word(word) if word else []:
                    ids.append(piece)
                    offsets.append((start, end))
        return ids, offsets


IDEOGRAPH = re.compile("([\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002ceaf])")


def fnv(word):
    value = 0x811C9DC5
    for unit in struct.unpack(f"<{len(word.encode('utf-16-le')) // 2}H", word.encode("utf-16-le")):
        value = ((value ^ unit) * 0x01000193) & 0xFFFFFFFF
    return value


def log(*words):
    print(f"[{time.process_time():7.1f}]", *words, flush=True)


def read_examples(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Windows:
    """Windows of all examples, as one array of word pieces each."""

    def __init__(self, examples, pieces):
        self.ids, self.labels, self.weights, self.origins, self.owners = [], [], [], [], []
        self.size, self.unknown = pieces.size, pieces.unknown
        for owner, item in enumerate(examples):
            ids, offsets = pieces.encode(item["text"])
            starts = range(0, max(1, len(ids) - WINDOW + STRIDE), STRIDE)
            for number, start in enumerate(starts):
                piece = ids[start : start + WINDOW]
                if not piece or number >= 40:
                    break
                label, weight = self.judge(item, offsets[start : start + WINDOW], number)
                self.ids.append(piece)
                self.labels.append(label)
                self.weights.append(weight)
                self.origins.append(ORIGINS.index(item["origin"]))
                self.owners.append(owner)
        self.labels = np.array(self.labels, np.float32)
        self.weights = np.array(self.weights, np.float32)
        self.origins = np.array(self.origins, np.int64)
        self.owners = np.array(self.owners)
        # Share of hashed words, which the teacher cannot read.
        self.hashed = np.array([np.mean(np.array(row) >= self.size) for row in self.ids], np.float32)

    @staticmethod
    def judge(item, offsets, number):
        """Returns the label of a window and its weight."""
        if not item["label"]:
            return 0, 1.0
        if not item["spans"]:
            return 1, 1.0 if number == 0 else 0.5
        inside = sum(1 for a, b in offsets if any(a < end and b > start for start, end in item["spans"]))
        total = sum(max(1, (end - start) // 4) for start, end in item["spans"])
        if inside == 0:
            return 0, 0.7
        if inside >= min(6, total * 0.6):
            return 1, 1.0
        return 0, 0.0

    def batch(self, indexes, prefix=None):
        rows = [self.ids[i] for i in indexes]
        if prefix is not None:
            rows = [[piece if piece < self.size else self.unknown for piece in row] for row in rows]
            rows = [[101, prefix[self.origins[i]], *row, 102] for i, row in zip(indexes, rows)]
        width = max(len(row) for row in rows)
        ids = torch.zeros(len(rows), width, dtype=torch.long)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
        origins = torch.from_numpy(self.origins[indexes])
        return ids.to(DEVICE, non_blocking=True), origins.to(DEVICE, non_blocking=True)


class Teacher(nn.Module):
    def __init__(self, folder):
        super().__init__()
        self.encoder = BertModel.from_pretrained(folder, torch_dtype=torch.float32, attn_implementation="sdpa")
        self.head = nn.Linear(self.encoder.config.hidden_size * 2, 1)

    def forward(self, ids):
        mask = (ids != 0).long()
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * weights).sum(1) / weights.sum(1)
        return self.head(torch.cat([states[:, 0], mean], -1)).squeeze(-1)


class Student(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=0)
        self.projection = nn.Linear(vectors.shape[1], 3 * CHANNELS, bias=False)
        self.bias = nn.Parameter(torch.zeros(CHANNELS))
        self.inner = nn.Linear(2 * CHANNELS + len(ORIGINS), HIDDEN)
        self.outer = nn.Linear(HIDDEN, 1)
        self.dropout = nn.Dropout(0.2)

    def forward(self, ids, origins):
        mask = (ids != 0).unsqueeze(-1)
        rows = self.projection(self.dropout(self.embedding(ids))) * mask
        left, middle, right = rows.split(CHANNELS, -1)
        total = middle + nn.functional.pad(left, (0, 0, 1, 0))[:, :-1] + nn.functional.pad(right, (0, 0, 0, 1))[:, 1:]
        features = torch.relu(total + self.bias) * mask
        top = features.amax(1)
        mean = features.sum(1) / mask.sum(1).clamp(min=1)
        origin = nn.functional.one_hot(origins, len(ORIGINS)).to(top.dtype)
        hidden = torch.relu(self.inner(self.dropout(torch.cat([top, mean, origin], -1))))
        return self.outer(hidden).squeeze(-1)


def batches(order, lengths, size, rng):
    """Sorts by length inside large blocks, so that a batch has little padding."""
    blocks = [order[i : i + size * 50] for i in range(0, len(order), size * 50)]
    made = []
    for block in blocks:
        block = sorted(block, key=lambda i: lengths[i])
        made += [block[i : i + size] for i in range(0, len(block), size)]
    rng.shuffle(made)
    return made


def sample_epoch(windows, sources, rng, count):
    """Draws windows so that small sources are seen more often, and labels are balanced."""
    weights = windows.weights.copy()
    keys = [(sources[o], int(l)) for o, l in zip(windows.owners, windows.labels)]
    totals = {}
    for key, weight in zip(keys, weights):
        totals[key] = totals.get(key, 0) + weight
    by_label = {0: 0.0, 1: 0.0}
    shares = {key: total**0.75 for key, total in totals.items() if total > 0}
    for (_, label), share in shares.items():
        by_label[label] += share
    probabilities = np.array(
        [w * shares.get(k, 0) / totals[k] / by_label[k[1]] if w > 0 else 0 for w, k in zip(weights, keys)]
    )
    probabilities /= probabilities.sum()
    return np.random.default_rng(rng.randrange(2**31)).choice(len(weights), count, p=probabilities)


def train_teacher(folder, windows, sources, prefix, epochs):
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    model = Teacher(folder).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-5, weight_decay=0.01)
    size, count = 192, 60_000
    steps = epochs * count // size
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-5, total_steps=steps + 10, pct_start=0.1)
    lengths = [len(row) for row in windows.ids]
    for epoch in range(epochs):
        losses = []
        for batch in batches(list(sample_epoch(windows, sources, rng, count)), lengths, size, rng):
            ids, _ = windows.batch(batch, prefix)
            labels = torch.from_numpy(windows.labels[batch]).to(DEVICE)
            labels = labels * 0.96 + 0.02
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.binary_cross_entropy_with_logits(model(ids).float(), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if schedule.last_epoch < steps:
                schedule.step()
            losses.append(loss.item())
        log(f"teacher epoch {epoch}: loss {np.mean(losses):.4f}")
    return model.eval()


@torch.no_grad()
def score_windows(windows, score, size=1024):
    order = sorted(range(len(windows.ids)), key=lambda i: len(windows.ids[i]))
    scores = np.zeros(len(order), np.float32)
    for at in range(0, len(order), size):
        batch = order[at : at + size]
        scores[batch] = score(batch).float().cpu().numpy()
    return scores


def score_teacher(model, windows, prefix):
    def score(batch):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return model(windows.batch(batch, prefix)[0])

    return score_windows(windows, score)


def token_vectors(model, vocabulary):
    """Embeds every word piece by the fine-tuned encoder, and reduces the result by PCA."""
    vectors = []
    with torch.no_grad():
        for at in range(0, vocabulary, 4096):
            pieces = torch.arange(at, min(vocabulary, at + 4096), device=DEVICE)
            ids = torch.stack([torch.full_like(pieces, 101), pieces, torch.full_like(pieces, 102)], 1)
            states = model.encoder(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            vectors.append(torch.cat([states[:, 1], model.encoder.embeddings.word_embeddings(pieces)], -1).float())
    vectors = torch.cat(vectors)
    vectors = (vectors - vectors.mean(0)) / vectors.std(0).clamp(min=1e-4)
    _, _, basis = torch.pca_lowrank(vectors, q=DIMENSIONS, niter=4)
    reduced = vectors @ basis
    return reduced / reduced.std()


def train_student(vectors, windows, sources, targets, epochs):
    torch.manual_seed(SEED)
    rng = random.Random(SEED + 1)
    model = Student(vectors.clone()).to(DEVICE)
    groups = [
        {"params": [model.embedding.weight], "lr": 1e-3, "weight_decay": 0.0},
        {"params": [p for n, p in model.named_parameters() if not n.startswith("embedding")], "lr": 2e-3, "weight_decay": 1e-4},
    ]
    optimizer = torch.optim.AdamW(groups)
    size, count = 512, 150_000
    steps = epochs * count // size
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [1e-3, 2e-3], total_steps=steps + 10, pct_start=0.1)
    lengths = [len(row) for row in windows.ids]
    soft = torch.sigmoid(torch.from_numpy(targets)).to(DEVICE)
    soft = torch.where(torch.from_numpy(windows.hashed).to(DEVICE) > 0.25, torch.from_numpy(windows.labels).to(DEVICE), soft)
    hard = torch.from_numpy(windows.labels).to(DEVICE)
    for epoch in range(epochs):
        losses = []
        for batch in batches(list(sample_epoch(windows, sources, rng, count)), lengths, size, rng):
            ids, origins = windows.batch(batch)
            # Hides some word pieces, so that no single one decides.
            ids = torch.where(torch.rand(ids.shape, device=DEVICE) < 0.08, 0, ids)
            logits = model(ids, origins)
            index = torch.tensor(batch, device=DEVICE)
            target = 0.7 * soft[index] + 0.3 * hard[index]
            loss = nn.functional.binary_cross_entropy_with_logits(logits, target)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if schedule.last_epoch < steps:
                schedule.step()
            losses.append(loss.item())
        if epoch % 2 == 1 or epoch == epochs - 1:
            log(f"student epoch {epoch}: loss {np.mean(losses):.4f}")
    return model.eval()


def score_student(model, windows):
    return score_windows(windows, lambda batch: model(*windows.batch(batch)), 8192)


def auroc(positive, negative):
    values = np.concatenate([positive, negative])
    ranks = values.argsort(kind="stable").argsort() + 1.0
    return (ranks[: len(positive)].sum() - len(positive) * (len(positive) + 1) / 2) / (len(positive) * len(negative))


def report(name, examples, windows, scores):
    best = np.full(len(examples), -1e9, np.float32)
    np.maximum.at(best, windows.owners, scores)
    benign = {
        "user": np.array([b for b, e in zip(best, examples) if not e["label"] and e["origin"] == "user"]),
        "tool_result": np.array([b for b, e in zip(best, examples) if not e["label"] and e["origin"] == "tool_result"]),
    }
    result = {}
    for source in sorted({e["source"] for e in examples if e["label"]}):
        own = np.array([b for b, e in zip(best, examples) if e["label"] and e["source"] == source])
        kind = next(e["origin"] for e in examples if e["label"] and e["source"] == source)
        other = benign[kind]
        result[source] = (auroc(own, other), *[(own > np.quantile(other, 1 - rate)).mean() for rate in (0.01, 0.02, 0.05)])
    for kind, other in benign.items():
        own = np.array([b for b, e in zip(best, examples) if e["label"] and e["origin"] == kind])
        if len(own) and len(other):
            result[f"ALL {kind}"] = (auroc(own, other), *[(own > np.quantile(other, 1 - rate)).mean() for rate in (0.01, 0.02, 0.05)])
    log(name)
    for source, (area, one, two, five) in result.items():
        print(f"    {source:30s} AUROC {area:.3f}  recall at 1 % {one:.3f}  2 % {two:.3f}  5 % {five:.3f}", flush=True)
    return result


LEVELS = {"permissive": 0.001, "balanced": 0.01, "strict": 0.03}
DETECTORS = {
    "prompt_injection": ("user", "system", "tool_definition"),
    "indirect_prompt_injection": ("tool_result", "document"),
}


def choose_thresholds(examples, windows, scores):
    """Returns the score that each level's share of the clean development texts exceeds."""
    best = np.full(len(examples), -1e9, np.float32)
    np.maximum.at(best, windows.owners, scores)
    chosen = {}
    for detector, origins in DETECTORS.items():
        clean = np.array([b for b, e in zip(best, examples) if not e["label"] and e["origin"] in origins])
        quantiles = {level: float(np.quantile(clean, 1 - rate)) for level, rate in LEVELS.items()}
        chosen[detector] = {level: round(1 / (1 + math.exp(-q)), 4) for level, q in quantiles.items()}
    return chosen


def export(model, tokenizer, thresholds, path):
    """Writes the weights: a JSON header with the shapes, and then the arrays."""
    with torch.no_grad():
        table = (model.embedding.weight @ model.projection.weight.T).float().cpu().numpy()
        table[0] = 0
        # One scale per channel, so that the rows of neighbors can be added as integers.
        scale = np.abs(table).reshape(-1, 3, CHANNELS).max((0, 1)) / 127
        quantized = np.clip(np.rint(table / np.tile(scale, 3)), -127, 127).astype(np.int8)
        arrays = {
            "table": quantized,
            "scale": scale.astype(np.float32),
            "bias": np.rint(model.bias.float().cpu().numpy() / scale).astype(np.int32),
            "inner_weight": model.inner.weight.float().cpu().numpy(),
            "inner_bias": model.inner.bias.float().cpu().numpy(),
            "outer_weight": model.outer.weight.float().cpu().numpy().reshape(-1),
            "outer_bias": model.outer.bias.float().cpu().numpy(),
        }
    pieces = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    vocabulary = "\n".join(pieces).encode()
    header = {"version": 1, "window": WINDOW, "stride": STRIDE, "channels": CHANNELS, "hidden": HIDDEN, "buckets": BUCKETS, "origins": ORIGINS}
    header["arrays"] = [{"name": n, "type": str(a.dtype), "shape": list(a.shape)} for n, a in arrays.items()]
    header["thresholds"] = thresholds
    header["vocabulary_bytes"] = len(vocabulary)
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(len(encoded) + 8) % 8)
    with open(path, "wb") as file:
        file.write(b"PCWT" + struct.pack("<I", len(encoded)) + encoded)
        for array in arrays.values():
            data = array.tobytes()
            file.write(data + b"\0" * (-len(data) % 8))
        file.write(vocabulary)


def main():
    path, folder, output = sys.argv[1:]
    os.makedirs(output, exist_ok=True)
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    prefix = [tokenizer.token_to_id(f"[unused{number + 1}]") for number in range(len(ORIGINS))]
    examples = read_examples(path)
    train = [item for item in examples if item["split"] == "train"]
    dev = [item for item in examples if item["split"] == "dev"]
    pieces = WordPieces(tokenizer)
    windows, dev_windows = Windows(train, pieces), Windows(dev, pieces)
    sources = [item["source"] for item in train]
    log(f"{len(train)} examples, {len(windows.ids)} windows; dev {len(dev)}, {len(dev_windows.ids)}")
    teacher = train_teacher(folder, windows, sources, prefix, int(os.environ.get("TEACHER_EPOCHS", 5)))
    results = {"teacher": report("teacher", dev, dev_windows, score_teacher(teacher, dev_windows, prefix))}
    targets = score_teacher(teacher, windows, prefix)
    vectors = token_vectors(teacher, tokenizer.get_vocab_size())
    hashed = torch.randn(BUCKETS, DIMENSIONS, device=DEVICE) * 0.3
    vectors = torch.cat([vectors, hashed])
    student = train_student(vectors, windows, sources, targets, int(os.environ.get("STUDENT_EPOCHS", 12)))
    scores = score_student(student, dev_windows)
    results["student"] = report("student", dev, dev_windows, scores)
    thresholds = choose_thresholds(dev, dev_windows, scores)
    log(json.dumps(thresholds))
    export(student, tokenizer, thresholds, os.path.join(output, "injection.weights"))
    with open(os.path.join(output, "scores.json"), "w", encoding="utf-8") as file:
        json.dump({k: {s: [float(x) for x in v] for s, v in r.items()} for k, r in results.items()}, file, indent=1)


if __name__ == "__main__":
    main()
