"""Trains both stages of the injection model: fine-tunes a pretrained encoder (the teachers) and distills their mean twice.

Usage: python3 training/train_injection.py EXAMPLES.jsonl.xz ENCODER_FOLDER OUTPUT_FOLDER

ENCODER_FOLDER is what align_encoder.py writes.

Both stages read windows of word pieces. In stage 1 a word piece has three rows in a table, one for each position of a
convolution of width three; the rows of neighbors are added, rectified and pooled over the window (maximum and mean), and
a small network with the origin of the text as input computes the score. Stage 2 is a teacher with three of its six
layers and half of their inner units. Weights are stored in 8 bits.
"""

import copy
import json
import math
import multiprocessing
import os
import random
import struct
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cached_property

import numpy as np
import torch
from torch import nn
from transformers import BertModel

from injection_data import ORIGINS, PREFIXES, log, read_examples
from word_pieces import encode_all

SEED = 17
# The mean of teachers that differ only in the seed is a better target than each of them.
TEACHER_SEEDS = (1, 2, 3, 4, 5)
STRIDE = 24
WINDOW = 2 * STRIDE
CHANNELS = 96
DIMENSIONS = 128
HIDDEN = 48
LAYERS = (0, 2, 4)
INNER = 768
DEVICE = "cuda"
torch.backends.cuda.matmul.allow_tf32 = True


class Windows:
    """Windows of all examples. Each process copies them to the device when it needs them."""

    def __init__(self, examples, encoded):
        rows, labels, weights, origins, owners = [], [], [], [], []
        for owner, (item, (ids, offsets)) in enumerate(zip(examples, encoded)):
            starts = range(0, max(1, len(ids) - WINDOW + STRIDE), STRIDE)
            for number, start in enumerate(starts):
                piece = ids[start : start + WINDOW]
                if not piece or number >= 60:
                    break
                label, weight = self.judge(item, offsets[start : start + WINDOW], number)
                rows.append(piece)
                labels.append(label)
                weights.append(weight * item["weight"])
                origins.append(ORIGINS.index(item["origin"]))
                owners.append(owner)
        padded = np.zeros((len(rows), WINDOW), np.int64)
        for number, row in enumerate(rows):
            padded[number, : len(row)] = row
        self.lengths = np.array([len(row) for row in rows])
        self.labels = np.array(labels, np.float32)
        self.weights = np.array(weights, np.float32)
        self.origins = np.array(origins, np.int64)
        self.owners = np.array(owners)
        self.foreign = np.array([examples[owner]["lang"] != "en" for owner in owners])
        self.counts = np.bincount(self.owners)[self.owners]
        # Windows of a long attack whose decisive sentences are not marked.
        self.unmarked = (self.labels == 1) & (self.counts > 1) & np.array([not examples[owner]["spans"] for owner in owners])
        self.ids = padded

    @cached_property
    def device_ids(self):
        return torch.from_numpy(self.ids).to(DEVICE)

    @cached_property
    def device_origins(self):
        return torch.from_numpy(self.origins).to(DEVICE)

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

    def batch(self, indexes):
        width = int(self.lengths[indexes].max())
        index = torch.as_tensor(np.asarray(indexes), device=DEVICE)
        return self.device_ids[index, :width], self.device_origins[index]

    def encoder_batch(self, indexes, special):
        """Returns the input of the encoder: start, origin, word pieces, end."""
        ids, origins = self.batch(indexes)
        count = len(ids)
        ends = torch.as_tensor(self.lengths[indexes], device=DEVICE)
        result = torch.zeros(count, ids.shape[1] + 3, dtype=torch.long, device=DEVICE)
        result[:, 0] = special["start"]
        result[:, 1] = torch.tensor(special["origins"], device=DEVICE)[origins]
        result[:, 2:-1] = ids
        result[torch.arange(count, device=DEVICE), ends + 2] = special["end"]
        return result


class Encoder(nn.Module):
    """The teacher, and stage 2 with fewer layers."""

    def __init__(self, bert):
        super().__init__()
        self.encoder = bert
        self.head = nn.Linear(bert.config.hidden_size, 1)

    def forward(self, ids):
        """Reads the first state only, so that the last layer has to compute one row."""
        states = self.encoder(input_ids=ids, attention_mask=(ids != 0).long()).last_hidden_state
        return self.head(states[:, 0]).squeeze(-1)


def load_encoder(folder):
    return Encoder(BertModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa", add_pooling_layer=False))


@torch.no_grad()
def shrink_encoder(model):
    """Keeps the layers and the inner units of stage 2: those with the largest weights."""
    bert = model.encoder
    bert.encoder.layer = nn.ModuleList([bert.encoder.layer[number] for number in LAYERS])
    bert.config.num_hidden_layers = len(LAYERS)
    for layer in bert.encoder.layer:
        expand, reduce = layer.intermediate.dense, layer.output.dense
        size = expand.weight.norm(dim=1) * reduce.weight.norm(dim=0)
        kept = size.topk(INNER).indices.sort().values
        expand.weight, expand.bias = nn.Parameter(expand.weight[kept]), nn.Parameter(expand.bias[kept])
        reduce.weight = nn.Parameter(reduce.weight[:, kept].contiguous())
    return model


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


class Sampler:
    """Draws windows so that small sources are seen more often, and each group has more clean text than attacks."""

    def __init__(self, windows, sources, seed, clean_share=0.6):
        self.windows = windows
        self.clean_share = clean_share
        self.rng = np.random.default_rng(seed)
        indirect = np.isin(windows.origins, [ORIGINS.index("tool_result"), ORIGINS.index("document")])
        self.groups = indirect * 2 + windows.foreign
        names = {}
        self.sources = np.array([names.setdefault(sources[owner], len(names)) for owner in windows.owners])

    def draw(self, count, factors=None):
        """factors: of the weights of the windows."""
        weights = self.windows.weights.astype(np.float64)
        if factors is not None:
            weights *= factors
        labels = self.windows.labels.astype(np.int64)
        keys = (self.groups * 2 + labels) * 1000 + self.sources
        totals = np.bincount(keys, weights)
        shares = totals**0.75
        probabilities = weights * (shares / np.maximum(totals, 1e-9))[keys]
        parts = self.groups * 2 + labels
        masses = np.bincount(parts, probabilities, minlength=8)
        for group in range(4):
            mass = masses[2 * group] + masses[2 * group + 1]
            for label, share in ((0, self.clean_share), (1, 1 - self.clean_share)):
                if masses[2 * group + label] > 0:
                    probabilities[parts == 2 * group + label] *= share * mass / masses[2 * group + label]
        probabilities /= probabilities.sum()
        return self.rng.choice(len(weights), count, p=probabilities)

    def batches(self, count, size, factors=None):
        """Sorts by length inside large blocks, so that a batch has little padding."""
        order = self.draw(count, factors)
        lengths = self.windows.lengths
        made = []
        for at in range(0, len(order), size * 50):
            block = order[at : at + size * 50]
            block = block[np.argsort(lengths[block], kind="stable")]
            made += [block[i : i + size] for i in range(0, len(block), size)]
        return [made[number] for number in self.rng.permutation(len(made))]


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


# Share of the windows of an unmarked attack that training keeps, those with the highest scores.
ATTACK_SHARE = 1 / 3


def adjust_weights(windows, scores):
    """Returns factors of the weights: more for clean text that the model takes for an attack, none for the ordinary parts of long attacks."""
    factors = np.where(windows.labels == 0, 1 + 4 * sigmoid(scores), 1)
    order = np.lexsort((-scores, windows.owners))
    owners = windows.owners[order]
    starts = np.maximum.accumulate(np.where(np.r_[True, owners[1:] != owners[:-1]], np.arange(len(owners)), 0))
    ranks = np.empty(len(owners), np.int64)
    ranks[order] = np.arange(len(owners)) - starts
    factors[windows.unmarked & (ranks >= np.ceil(windows.counts * ATTACK_SHARE))] = 0
    return factors


def train_encoder(name, model, windows, sampler, special, targets, epochs, rate, count, size=256):
    """Trains on the labels, or on the targets of a teacher."""
    steps = epochs * (count // size + 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 10, pct_start=0.1)
    factors = None
    for epoch in range(epochs):
        model.train()
        losses = []
        for batch in sampler.batches(count, size, factors):
            ids = windows.encoder_batch(batch, special)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                logits = model(ids).float()
            loss = nn.functional.binary_cross_entropy_with_logits(logits, targets[torch.as_tensor(batch, device=DEVICE)])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
        model.eval()
        log(f"{name} epoch {epoch}: loss {torch.stack(losses).mean():.4f}")
        if 0 < epoch < epochs - 1:
            factors = adjust_weights(windows, score_encoder(model, windows, special))
    return model.eval()


@torch.no_grad()
def score_windows(windows, score, size):
    order = np.argsort(windows.lengths, kind="stable")
    scores = np.zeros(len(order), np.float32)
    for at in range(0, len(order), size):
        batch = order[at : at + size]
        scores[batch] = score(batch).float().cpu().numpy()
    return scores


def score_encoder(model, windows, special):
    def score(batch):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return model(windows.encoder_batch(batch, special))

    return score_windows(windows, score, 2048)


def score_student(model, windows):
    return score_windows(windows, lambda batch: model(*windows.batch(batch)), 8192)


def token_vectors(model, special, size):
    """Embeds every word piece by the fine-tuned encoder, and reduces the result by PCA."""
    vectors = []
    with torch.no_grad():
        for at in range(0, size, 4096):
            pieces = torch.arange(at, min(size, at + 4096), device=DEVICE)
            ids = torch.stack([torch.full_like(pieces, special["start"]), pieces, torch.full_like(pieces, special["end"])], 1)
            states = model.encoder(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            vectors.append(torch.cat([states[:, 1], model.encoder.embeddings.word_embeddings(pieces)], -1).float())
    vectors = torch.cat(vectors)
    vectors = (vectors - vectors.mean(0)) / vectors.std(0).clamp(min=1e-4)
    _, _, basis = torch.pca_lowrank(vectors, q=DIMENSIONS, niter=4)
    reduced = vectors @ basis
    return reduced / reduced.std()


def train_student(vectors, windows, sampler, targets, epochs, size=512, count=250_000):
    model = Student(vectors.clone()).to(DEVICE)
    groups = [
        {"params": [model.embedding.weight], "lr": 1e-3, "weight_decay": 0.0},
        {"params": [p for n, p in model.named_parameters() if not n.startswith("embedding")], "lr": 2e-3, "weight_decay": 1e-4},
    ]
    optimizer = torch.optim.AdamW(groups)
    steps = epochs * (count // size + 2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [1e-3, 2e-3], total_steps=steps + 10, pct_start=0.1)
    factors = None
    for epoch in range(epochs):
        model.train()
        losses = []
        for batch in sampler.batches(count, size, factors):
            ids, origins = windows.batch(batch)
            # Hides some word pieces, so that no single one decides.
            ids = torch.where(torch.rand(ids.shape, device=DEVICE) < 0.08, 0, ids)
            loss = nn.functional.binary_cross_entropy_with_logits(model(ids, origins), targets[torch.as_tensor(batch, device=DEVICE)])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
        model.eval()
        if epoch % 3 == 2:
            log(f"stage 1 epoch {epoch}: loss {torch.stack(losses).mean():.4f}")
        if epoch % 2 == 1:
            factors = adjust_weights(windows, score_student(model, windows))
    return model


def auroc(positive, negative):
    values = np.concatenate([positive, negative])
    ranks = values.argsort(kind="stable").argsort() + 1.0
    return (ranks[: len(positive)].sum() - len(positive) * (len(positive) + 1) / 2) / (len(positive) * len(negative))


RATES = (0.01, 0.02, 0.05)


def report(name, examples, best):
    """Prints recall by source, and the share of other clean text above the thresholds of the public sets."""
    public = {"user": ("arena_hard", "xstest_safe"), "tool_result": ("bipia_code", "bipia_email", "bipia_table")}
    log(name)
    for kind, sources in public.items():
        clean = np.array([b for b, e in zip(best, examples) if not e["label"] and e["source"] in sources])
        limits = [np.quantile(clean, 1 - rate) for rate in RATES]
        attacks = {}
        for score, item in zip(best, examples):
            if item["label"] and item["origin"] == kind:
                attacks.setdefault(item["source"], []).append(score)
        attacks[f"ALL {kind}"] = sum(attacks.values(), [])
        for source, scores in sorted(attacks.items()):
            scores = np.array(scores)
            recalls = " ".join(f"{(scores > limit).mean():.3f}" for limit in limits)
            print(f"    {source:28s} AUROC {auroc(scores, clean):.3f}  recall {recalls}", flush=True)
        others = sorted({e["source"] for e in examples if not e["label"]} - {s for group in public.values() for s in group})
        for source in others:
            scores = np.array([b for b, e in zip(best, examples) if e["source"] == source and (e["origin"] == "user") == (kind == "user")])
            if len(scores):
                print(f"    {source:28s} false positives {' '.join(f'{(scores > limit).mean():.3f}' for limit in limits)}", flush=True)


def highest(windows, scores, count):
    best = np.full(count, -1e9, np.float32)
    np.maximum.at(best, windows.owners, scores)
    return best


LEVELS = {"permissive": 0.001, "balanced": 0.01, "strict": 0.03}
DETECTORS = {
    "prompt_injection": ("user", "system", "tool_definition"),
    "indirect_prompt_injection": ("tool_result", "document"),
}


# Share of stage 1 in the logit of a window that stage 2 reads.
SHARE = 0.3
# Logit of stage 1 above which stage 2 reads the best window of a text.
BAND = -2.0
# Subtracted from the logit of a text that stage 2 does not read.
HARMLESS_OFFSET = 6
# The highest of many scores is high by chance: factor of the logarithm of the number of windows, which is subtracted.
COUNT_FACTOR = 1.2
# Padding must not hide an attack: further windows are not counted.
MAX_COUNTED_WINDOWS = 8


def run_cascade(examples, windows, first, second):
    """Returns the logit of each text, as src/policy/learned/injection-inspector.ts computes it."""
    order = np.lexsort((-first, windows.owners))
    owners = windows.owners[order]
    chosen = order[np.r_[True, owners[1:] != owners[:-1]]]
    both = SHARE * first[chosen] + (1 - SHARE) * second[chosen]
    logits = np.full(len(examples), -1e9, np.float32)
    logits[windows.owners[chosen]] = np.where(first[chosen] > BAND, both, first[chosen] - HARMLESS_OFFSET)
    counts = np.bincount(windows.owners, minlength=len(examples)).clip(1, MAX_COUNTED_WINDOWS)
    return logits - COUNT_FACTOR * np.log(counts)


# Clean documents that were pasted into a message: nearly all have low scores, so they say nothing about ordinary messages.
PASTED = "_pasted"


def choose_thresholds(examples, best):
    """Returns the score that each level's share of the clean development texts exceeds."""
    chosen = {}
    for detector, origins in DETECTORS.items():
        clean = np.array([b for b, e in zip(best, examples) if not e["label"] and e["origin"] in origins and not e["source"].endswith(PASTED)])
        quantiles = {level: float(np.quantile(clean, 1 - rate)) for level, rate in LEVELS.items()}
        chosen[detector] = {level: round(1 / (1 + math.exp(-q)), 4) for level, q in quantiles.items()}
    return chosen


def write_weights(path, header, arrays, names):
    """Writes a JSON header with the shapes, the arrays, and the vocabulary."""
    vocabulary = "\n".join(names).encode()
    header["arrays"] = [{"name": n, "type": str(a.dtype), "shape": list(a.shape)} for n, a in arrays.items()]
    header["vocabulary_bytes"] = len(vocabulary)
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(len(encoded) + 8) % 8)
    with open(path, "wb") as file:
        file.write(b"PCWT" + struct.pack("<I", len(encoded)) + encoded)
        for array in arrays.values():
            data = np.ascontiguousarray(array).tobytes()
            file.write(data + b"\0" * (-len(data) % 8))
        file.write(vocabulary)


def export_student(model, names, thresholds, path):
    with torch.no_grad():
        table = (model.embedding.weight @ model.projection.weight.T).float().cpu().numpy()
        table[0] = 0
        # One scale per channel, so that the rows of neighbors can be added as integers.
        scale = np.abs(table).reshape(-1, 3, CHANNELS).max((0, 1)) / 127
        arrays = {
            "table": np.clip(np.rint(table / np.tile(scale, 3)), -127, 127).astype(np.int8),
            "scale": scale.astype(np.float32),
            "bias": np.rint(model.bias.float().cpu().numpy() / scale).astype(np.int32),
            "inner_weight": model.inner.weight.float().cpu().numpy(),
            "inner_bias": model.inner.bias.float().cpu().numpy(),
            "outer_weight": model.outer.weight.float().cpu().numpy().reshape(-1),
            "outer_bias": model.outer.bias.float().cpu().numpy(),
        }
    header = {"version": 1, "window": WINDOW, "stride": STRIDE, "channels": CHANNELS, "hidden": HIDDEN, "origins": ORIGINS}
    header["cascade"] = {"share": SHARE, "band": BAND, "thresholds": thresholds}
    write_weights(path, header, arrays, names)


def quantize_rows(weight):
    scale = np.abs(weight).max(1, keepdims=True) / 127 + 1e-12
    return np.clip(np.rint(weight / scale), -127, 127).astype(np.int8), scale[:, 0].astype(np.float32)


@torch.no_grad()
def round_encoder(model):
    """Rounds the matrices to what 8 bits can store."""
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2 and "position" not in name and "token_type" not in name and not name.startswith("head"):
            quantized, scale = quantize_rows(parameter.float().cpu().numpy())
            parameter.copy_(torch.from_numpy(quantized * scale[:, None]))


@torch.no_grad()
def export_encoder(model, names, path):
    arrays = {}
    for name, parameter in model.named_parameters():
        value = parameter.float().cpu().numpy()
        short = name.removeprefix("encoder.")
        if value.ndim == 2 and "position" not in name and "token_type" not in name and not name.startswith("head"):
            arrays[short], arrays[f"{short}.scale"] = quantize_rows(value)
        else:
            arrays[short] = value[: WINDOW + 3] if "position" in name else value
    header = {"version": 1, "window": WINDOW, "stride": STRIDE, "layers": len(LAYERS), "origins": ORIGINS, "prefixes": PREFIXES}
    write_weights(path, header, arrays, names)


def train_teacher(seed, folder, windows, dev_windows, sources, special):
    """Returns the weights of a teacher, and its logits of the windows."""
    torch.manual_seed(seed)
    teacher = load_encoder(folder).to(DEVICE)
    targets = torch.from_numpy(windows.labels).to(DEVICE) * 0.96 + 0.02
    train_encoder(f"teacher {seed}", teacher, windows, Sampler(windows, sources, seed), special, targets, 4, 6e-5, count=100_000)
    states = {name: value.cpu() for name, value in teacher.state_dict().items()}
    return states, score_encoder(teacher, windows, special), score_encoder(teacher, dev_windows, special)


def main():
    path, folder, output = sys.argv[1:]
    os.makedirs(output, exist_ok=True)
    random.seed(SEED)
    np.random.seed(SEED)
    examples = read_examples(path)
    train = [item for item in examples if item["split"] == "train"]
    dev = [item for item in examples if item["split"] == "dev"]
    with open(os.path.join(folder, "pieces.txt"), encoding="utf-8") as file:
        names = file.read().split("\n")
    vocabulary = {name: number for number, name in enumerate(names)}
    encoded = encode_all([item["text"] for item in train], vocabulary)
    dev_encoded = encode_all([item["text"] for item in dev], vocabulary)
    special = {"start": vocabulary["[CLS]"], "end": vocabulary["[SEP]"], "origins": [vocabulary[name] for name in PREFIXES]}
    windows = Windows(train, encoded)
    dev_windows = Windows(dev, dev_encoded)
    log(f"{len(train)} examples, {len(windows.labels)} windows; dev {len(dev)}, {len(dev_windows.labels)}; {len(names)} word pieces")
    sources = [item["source"] for item in train]

    # One process for each teacher: the model is small, and one process alone leaves most of the device idle.
    with ProcessPoolExecutor(len(TEACHER_SEEDS), multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(train_teacher, seed, folder, windows, dev_windows, sources, special) for seed in TEACHER_SEEDS]
        states, logits, dev_logits = zip(*[job.result() for job in jobs])
    report("teachers on every window", dev, highest(dev_windows, np.mean(dev_logits, 0), len(dev)))
    hard = torch.from_numpy(windows.labels).to(DEVICE)
    soft = torch.sigmoid(torch.from_numpy(np.mean(logits, 0))).to(DEVICE)
    targets = 0.7 * soft + 0.3 * hard

    teacher = load_encoder(folder).to(DEVICE)
    teacher.load_state_dict(states[0])
    torch.manual_seed(SEED)
    sampler = Sampler(windows, sources, SEED)
    second = shrink_encoder(copy.deepcopy(teacher))
    train_encoder("stage 2", second, windows, sampler, special, targets, 10, 1.5e-4, count=250_000)
    round_encoder(second)
    export_encoder(second, names, os.path.join(output, "injection-encoder.weights"))
    second_scores = score_encoder(second, dev_windows, special)
    report("stage 2 on every window", dev, highest(dev_windows, second_scores, len(dev)))

    first = train_student(token_vectors(teacher, special, len(names)), windows, sampler, targets, 15)
    first_scores = score_student(first, dev_windows)
    report("stage 1", dev, highest(dev_windows, first_scores, len(dev)))
    logits = run_cascade(dev, dev_windows, first_scores, second_scores)
    report("both stages", dev, logits)
    export_student(first, names, choose_thresholds(dev, logits), os.path.join(output, "injection.weights"))


if __name__ == "__main__":
    main()
