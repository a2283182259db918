"""Teaches a pretrained English encoder other languages: trains it to represent a translation as it represents the English text.

Usage: python3 training/align_encoder.py PIECES.txt PAIRS.jsonl.xz ENCODER_FOLDER OUTPUT_FOLDER

PIECES.txt is the vocabulary that choose_pieces.py writes.
"""

import collections
import copy
import os
import sys

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import BertModel

from injection_data import log, read_examples
from word_pieces import encode_all

SEED = 17
DEVICE = "cuda"
MAX_PIECES = 62
STEPS = 5000
BATCH = 1024
ENGLISH_SHARE = 0.3


class Rows:
    """Inputs of the encoder on the device: start, pieces, end."""

    def __init__(self, rows, special):
        self.lengths = np.array([len(row) + 2 for row in rows])
        padded = np.zeros((len(rows), MAX_PIECES + 2), np.int32)
        for number, row in enumerate(rows):
            padded[number, : len(row) + 2] = [special[0], *row, special[1]]
        self.ids = torch.from_numpy(padded).to(DEVICE)

    def batch(self, numbers):
        return self.ids[torch.from_numpy(numbers).to(DEVICE), : int(self.lengths[numbers].max())].long()


def estimate_translations(pairs, english_size, size, rounds=6):
    """Returns the probability of each English piece for each foreign one (IBM model 1)."""
    foreign_size = size - english_size
    table = torch.ones(foreign_size + 1, english_size, device=DEVICE)
    rows = [(sorted({i - english_size + 1 for i in ids if i >= english_size}), sorted(set(english))) for english, ids in pairs]
    rows = sorted((row for row in rows if row[0]), key=lambda row: len(row[0]))
    batches = []
    for at in range(0, len(rows), 2048):
        batch = rows[at : at + 2048]
        # The first foreign piece, 0, accounts for what has no translation.
        foreign = np.full((len(batch), len(batch[-1][0]) + 1), -1)
        english = np.full((len(batch), max(len(row[1]) for row in batch)), -1)
        for number, (one, other) in enumerate(batch):
            foreign[number, 0] = 0
            foreign[number, 1 : len(one) + 1] = one
            english[number, : len(other)] = other
        batches.append((torch.from_numpy(foreign).to(DEVICE), torch.from_numpy(english).to(DEVICE)))
    for _ in range(rounds):
        counts = torch.zeros_like(table)
        for foreign, english in batches:
            index = foreign.clamp(min=0)[:, :, None] * english_size + english.clamp(min=0)[:, None, :]
            valid = (foreign >= 0)[:, :, None] & (english >= 0)[:, None, :]
            likely = table.view(-1)[index] * valid
            share = likely / likely.sum(1, keepdim=True).clamp(min=1e-9)
            counts.view(-1).index_add_(0, index[valid], share[valid])
        mass = counts.sum(1, keepdim=True)
        table = counts / mass.clamp(min=1e-6)
    return table[1:], mass[1:, 0]


class Aligned(nn.Module):
    """The encoder with separate rows for the pieces of other languages, which learn faster."""

    def __init__(self, bert, english, foreign):
        super().__init__()
        self.bert = bert
        self.english = nn.Parameter(english)
        self.foreign = nn.Parameter(foreign)

    def forward(self, ids):
        table = torch.cat([self.english, self.foreign])
        return represent(self.bert, ids, nn.functional.embedding(ids, table))


def represent(bert, ids, embedded):
    """Returns the mean of the states, and the first one."""
    mask = (ids != 0).long()
    states = bert(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
    mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return torch.stack([mean, states[:, 0]], 1)


@torch.no_grad()
def represent_all(score, rows, size=4096):
    order = np.argsort(rows.lengths, kind="stable")
    result = None
    for at in range(0, len(order), size):
        batch = order[at : at + size]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            states = score(rows.batch(batch)).half()
        if result is None:
            result = torch.zeros(len(order), *states.shape[1:], dtype=torch.half, device=DEVICE)
        result[torch.from_numpy(batch).to(DEVICE)] = states
    return result


def report(model, held, targets, special):
    """Prints how often the English text of a translation is the nearest of all held-out ones of its language."""
    found = []
    for lang, items in sorted(held.items()):
        states = represent_all(model, Rows([ids for _, ids in items], special))[:, 0].float()
        goals = targets[torch.tensor([number for number, _ in items], device=DEVICE)][:, 0].float()
        near = nn.functional.normalize(states, dim=-1) @ nn.functional.normalize(goals, dim=-1).T
        right = (near.argmax(1) == torch.arange(len(items), device=DEVICE)).float().mean()
        found.append(f"{lang} {right:.2f}/{len(items)}")
    log("nearest:", ", ".join(found))


def train(model, targets, rows, goals, chances):
    """`goals` has the number of the English sentence that each row translates."""
    parameters = [
        {"params": [model.foreign], "lr": 2e-3},
        {"params": [model.english], "lr": 1e-4},
        {"params": list(model.bert.parameters()), "lr": 2e-4},
    ]
    optimizer = torch.optim.AdamW(parameters, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [group["lr"] for group in parameters], total_steps=STEPS + 1, pct_start=0.1)
    rng = np.random.default_rng(SEED)
    drawn = rng.choice(len(goals), BATCH * STEPS, p=chances)
    losses = []
    for step in range(STEPS):
        if step % 40 == 0:
            block = drawn[step * BATCH : (step + 40) * BATCH]
            block = block[np.argsort(rows.lengths[block], kind="stable")]
            batches = rng.permutation(len(block) // BATCH)
        at = batches[step % 40] * BATCH
        batch = block[at : at + BATCH]
        goal = targets[torch.from_numpy(goals[batch]).to(DEVICE)].float()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            states = model(rows.batch(batch))
        error = (states.float() - goal).square().sum(-1) / goal.square().sum(-1)
        loss = error[:, 0].mean() + 0.5 * error[:, 1].mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.detach())
        if step % 500 == 499:
            log(f"step {step + 1}: loss {torch.stack(losses[-500:]).mean():.4f}")


def main():
    pieces_path, pairs_path, folder, output = sys.argv[1:]
    torch.manual_seed(SEED)
    os.makedirs(output, exist_ok=True)
    pairs = read_examples(pairs_path)
    full = Tokenizer.from_file(os.path.join(folder, "tokenizer.json")).get_vocab()
    with open(pieces_path, encoding="utf-8") as file:
        english, foreign = [part.split("\n") for part in file.read().split("\n\n")]
    names = english + foreign
    with open(os.path.join(output, "pieces.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(names))

    vocabulary = {name: number for number, name in enumerate(names)}
    special = (vocabulary["[CLS]"], vocabulary["[SEP]"])
    sentences = sorted({pair["english"] for pair in pairs})
    number_of = {sentence: number for number, sentence in enumerate(sentences)}
    english_rows = [ids[:MAX_PIECES] for ids, _ in encode_all(sentences, vocabulary)]
    # The original encoder has no pieces of other languages, some of which occur in English words too.
    original_rows = [ids[:MAX_PIECES] for ids, _ in encode_all(sentences, {name: number for number, name in enumerate(english)})]
    encoded = [ids[:MAX_PIECES] for ids, _ in encode_all([pair["text"] for pair in pairs], vocabulary)]
    held, kept, weights = collections.defaultdict(list), [], []
    counts = collections.Counter(pair["lang"] for pair in pairs)
    for pair, ids in zip(pairs, encoded):
        number = number_of[pair["english"]]
        if number % 50 == 0:
            held[pair["lang"]].append((number, ids))
        else:
            kept.append((number, ids))
            weights.append(counts[pair["lang"]] ** -0.4 * (6 if pair["source"] == "own" else 1))
    log(f"{len(kept)} pairs, {len(sentences)} English sentences")

    bert = BertModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa", add_pooling_layer=False).to(DEVICE)
    rows = bert.embeddings.word_embeddings.weight.data[[full[name] for name in english]].clone()
    bert.eval()
    targets = represent_all(lambda ids: represent(bert, ids, nn.functional.embedding(ids, rows)), Rows(original_rows, special))

    table, mass = estimate_translations([(original_rows[number], ids) for number, ids in kept], len(english), len(names))
    log("translations:", ", ".join(f"{names[len(english) + i]}={names[int(table[i].argmax())]}" for i in mass.argsort(descending=True)[:4000:100].tolist()))
    foreign = table @ rows
    foreign *= rows.norm(dim=1).mean() / foreign.norm(dim=1, keepdim=True).clamp(min=1e-3)
    model = Aligned(copy.deepcopy(bert), rows.clone(), foreign.clone()).to(DEVICE).train()
    del table
    report(model, held, targets, special)
    rows = Rows([ids for _, ids in kept] + english_rows, special)
    goals = np.array([number for number, _ in kept] + list(range(len(sentences))))
    chances = np.array(weights) / sum(weights) * (1 - ENGLISH_SHARE)
    train(model, targets, rows, goals, np.r_[chances, np.full(len(sentences), ENGLISH_SHARE / len(sentences))])
    model.eval()
    report(model, held, targets, special)
    bert = model.bert
    bert.embeddings.word_embeddings = nn.Embedding.from_pretrained(torch.cat([model.english, model.foreign]).detach(), freeze=False, padding_idx=0)
    bert.config.vocab_size = len(names)
    bert.save_pretrained(output)


if __name__ == "__main__":
    main()
