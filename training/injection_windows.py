"""Windows of word pieces, which both stages of the injection model and the teachers read."""

from functools import cached_property

import numpy as np
import torch

from injection_data import ORIGINS

DEVICE = "cuda"
STRIDE = 24
WINDOW = 2 * STRIDE
MAX_WINDOWS = 60


class Windows:
    """Windows of all examples. Each process copies them to the device when it needs them."""

    def __init__(self, examples, encoded):
        rows, labels, weights, origins, owners, bounds = [], [], [], [], [], []
        for owner, (item, (ids, offsets)) in enumerate(zip(examples, encoded)):
            starts = range(0, max(1, len(ids) - WINDOW + STRIDE), STRIDE)
            for number, start in enumerate(starts):
                piece = ids[start : start + WINDOW]
                if not piece or number >= MAX_WINDOWS:
                    break
                words = offsets[start : start + WINDOW]
                label, weight = self.label_window(item, words, number)
                rows.append(piece)
                bounds.append((words[0][0], words[-1][1]))
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
        self.counts = np.bincount(self.owners)[self.owners]
        # Windows of a long attack whose decisive sentences are not marked.
        self.unmarked = (self.labels == 1) & (self.counts > 1) & np.array([not examples[owner]["spans"] for owner in owners])
        self.ids = padded
        self.bounds = np.array(bounds)
        self.languages = np.array([examples[owner]["lang"] for owner in owners])
        self.foreign = self.languages != "en"
        numbers = {source: number for number, source in enumerate(sorted({item["source"] for item in examples}))}
        self.sources = np.array([numbers[examples[owner]["source"]] for owner in owners])

    @cached_property
    def device_ids(self):
        return torch.from_numpy(self.ids).to(DEVICE)

    @cached_property
    def device_origins(self):
        return torch.from_numpy(self.origins).to(DEVICE)

    @staticmethod
    def label_window(item, offsets, number):
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


def list_texts(windows, examples):
    return [examples[owner]["text"][start:end] for owner, (start, end) in zip(windows.owners, windows.bounds)]


UNLABELED = "unlabeled"


def mix_windows(windows, examples, count, seed):
    """Returns examples without a label: the first words of one window and the last of another of its origin and language, or some words of one.

    Their weight is 0: the teachers score them, and do not train on them.
    """
    rng = np.random.default_rng(seed)
    texts = list_texts(windows, examples)
    groups = {}
    for number, key in enumerate(zip(windows.origins.tolist(), windows.languages.tolist())):
        groups.setdefault(key, []).append(number)
    groups = {key: np.array(members) for key, members in groups.items() if len(members) > 50}
    keys = list(groups)
    sizes = np.array([len(groups[key]) for key in keys]) ** 0.7
    mixed = []
    for chosen in rng.choice(len(keys), count, p=sizes / sizes.sum()):
        origin, language = keys[chosen]
        first, second = (texts[number].split(" ") for number in rng.choice(groups[keys[chosen]], 2))
        if rng.random() < 0.7:
            words = first[: rng.integers(0, len(first) + 1)] + second[rng.integers(0, len(second) + 1) :]
        else:
            start, end = sorted(rng.integers(0, len(first) + 1, 2))
            words = first[start:end]
        text = " ".join(words).strip()
        if len(text) > 8:
            item = {"text": text, "label": 0, "origin": ORIGINS[origin], "source": UNLABELED, "spans": None, "weight": 0, "lang": language}
            mixed.append(item)
    return mixed


class Sampler:
    """Draws windows so that small sources are seen more often, and each group has more clean text than attacks."""

    def __init__(self, windows, seed, clean_share=0.6):
        self.windows = windows
        self.clean_share = clean_share
        self.rng = np.random.default_rng(seed)
        indirect = np.isin(windows.origins, [ORIGINS.index("tool_result"), ORIGINS.index("document")])
        self.groups = indirect * 2 + windows.foreign

    def draw(self, count, factors=None):
        """factors: of the weights of the windows."""
        weights = self.windows.weights.astype(np.float64)
        if factors is not None:
            weights *= factors
        labels = self.windows.labels.astype(np.int64)
        keys = (self.groups * 2 + labels) * 1000 + self.windows.sources
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
