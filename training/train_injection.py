"""Trains both stages of the injection model: fine-tunes two pretrained encoders (the teachers) and distills their mean twice.

Usage: python3 training/train_injection.py EXAMPLES.jsonl.xz ENCODER_FOLDER SENTENCE_ENCODER_FOLDER OUTPUT_FOLDER

ENCODER_FOLDER is what align_encoder.py writes; sentence_encoder.py describes SENTENCE_ENCODER_FOLDER.

Both stages read windows of word pieces. In stage 1 a word piece has three rows in a table, one for each position of a
convolution of width three; the rows of neighbors are added, rectified and pooled over the window (maximum and mean), and
a small network with the origin of the text as input computes the score. Stage 2 is a teacher with three of its six
layers and half of their inner units, and learns its states too. Both learn the scores of the teachers, also those of windows
without a label. Weights are stored in 8 bits.
"""

import copy
import math
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import torch
from torch import nn
from transformers import BertModel

from injection_data import ORIGINS, PREFIXES, log, read_examples
from injection_windows import DEVICE, STRIDE, UNLABELED, WINDOW, Sampler, Windows, list_texts, mix_windows
from sentence_encoder import SentenceEncoder, encode_sentences
from weight_file import write_weights
from word_pieces import encode_all

SEED = 17
# The mean of teachers that differ in the seed is a better target than each of them, and that of two kinds is better still.
TEACHERS = {"encoder": (0.6, (1, 2, 3, 4)), "sentence_encoder": (0.4, (1, 2, 3))}
UNLABELED_COUNT = 200_000
CHANNELS = 96
DIMENSIONS = 128
HIDDEN = 48
LAYERS = (0, 2, 4)
INNER = 768
torch.backends.cuda.matmul.allow_tf32 = True


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


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


# Share of the windows of an unmarked attack that training keeps, those with the highest scores.
ATTACK_SHARE = 1 / 3


def adjust_weights(windows, scores):
    """Returns factors of the weights: more for clean text that the model takes for an attack, none for the ordinary parts of long attacks."""
    factors = np.where(windows.labels == 0, 1 + 9 * sigmoid(scores), 1)
    order = np.lexsort((-scores, windows.owners))
    owners = windows.owners[order]
    starts = np.maximum.accumulate(np.where(np.r_[True, owners[1:] != owners[:-1]], np.arange(len(owners)), 0))
    ranks = np.empty(len(owners), np.int64)
    ranks[order] = np.arange(len(owners)) - starts
    factors[windows.unmarked & (ranks >= np.ceil(windows.counts * ATTACK_SHARE))] = 0
    return factors


def train(name, model, groups, sampler, loss_of, score, epochs, count, size=256, clip=1.0):
    """Trains the model and returns it.

    loss_of receives a batch and the finished share of the training; score returns the logits of all windows.
    """
    optimizer = torch.optim.AdamW(groups)
    steps = epochs * (count // size + 2) + 10
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [group["lr"] for group in groups], total_steps=steps, pct_start=0.1)
    factors = None
    for epoch in range(epochs):
        model.train()
        losses = []
        for batch in sampler.batches(count, size, factors):
            loss = loss_of(batch, schedule.last_epoch / steps)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
        model.eval()
        log(f"{name} epoch {epoch}: loss {torch.stack(losses).mean():.4f}")
        if epoch % 2 == 1 and epoch < epochs - 1:
            factors = adjust_weights(sampler.windows, score())
    return model


def all_parameters(model, rate):
    return [{"params": [p for p in model.parameters() if p.requires_grad], "lr": rate, "weight_decay": 0.01}]


def compare(logits, targets, batch):
    return nn.functional.binary_cross_entropy_with_logits(logits.float(), targets[torch.as_tensor(batch, device=DEVICE)])


@torch.no_grad()
def score_windows(windows, score, size):
    order = np.argsort(windows.lengths, kind="stable")
    scores = np.zeros(len(order), np.float32)
    for at in range(0, len(order), size):
        batch = order[at : at + size]
        scores[batch] = score(batch).float().cpu().numpy()
    return scores


def autocast():
    return torch.autocast(DEVICE, dtype=torch.bfloat16)


def score_encoder(model, windows, special):
    def score(batch):
        with autocast():
            return model(windows.encoder_batch(batch, special))

    return score_windows(windows, score, 2048)


def load_teacher(states, folder):
    model = load_encoder(folder).to(DEVICE).eval()
    model.load_state_dict(states)
    return model


def label_targets(windows):
    return torch.from_numpy(windows.labels).to(DEVICE) * 0.96 + 0.02


TEACHER_EPOCHS = 4
TEACHER_COUNT = 100_000


def train_encoder_teacher(seed, folder, windows, dev_windows, special):
    """Returns the weights of a teacher, and its logits of the windows."""
    torch.manual_seed(seed)
    model = load_encoder(folder).to(DEVICE)
    targets = label_targets(windows)

    def loss_of(batch, _):
        with autocast():
            return compare(model(windows.encoder_batch(batch, special)), targets, batch)

    groups = all_parameters(model, 6e-5)
    sampler = Sampler(windows, seed)
    train(f"encoder {seed}", model, groups, sampler, loss_of, lambda: score_encoder(model, windows, special), TEACHER_EPOCHS, TEACHER_COUNT)
    states = {name: value.cpu() for name, value in model.state_dict().items()}
    return states, score_encoder(model, windows, special), score_encoder(model, dev_windows, special)


def train_sentence_teacher(seed, folder, windows, tokens, dev_windows, dev_tokens):
    """Returns the logits of the windows."""
    torch.manual_seed(seed)
    model = SentenceEncoder(folder).to(DEVICE)
    targets = label_targets(windows)

    def predict(batch, windows, ids, lengths):
        index = torch.as_tensor(np.asarray(batch), device=DEVICE)
        width = int(lengths[batch].max())
        with autocast():
            return model(ids[index, :width].long(), windows.device_origins[index], torch.from_numpy(lengths[batch]).to(DEVICE))

    def score(windows, tokens):
        return score_windows(windows, lambda batch: predict(batch, windows, *tokens), 2048)

    tokens, dev_tokens = [(torch.from_numpy(ids).to(DEVICE), lengths) for ids, lengths in (tokens, dev_tokens)]
    groups = all_parameters(model, 3e-4)
    sampler = Sampler(windows, seed)

    def loss_of(batch, _):
        return compare(predict(batch, windows, *tokens), targets, batch)

    train(f"sentence encoder {seed}", model, groups, sampler, loss_of, lambda: score(windows, tokens), TEACHER_EPOCHS, TEACHER_COUNT)
    return score(windows, tokens), score(dev_windows, dev_tokens)


STUDENT_COUNT = 250_000
# The loss of the states has the weight 1 at first, and none after this share of the training.
STATES_UNTIL = 0.8


def train_stage2(states, folder, windows, targets, special, names, output):
    """Writes the weights of stage 2, and returns the model."""
    torch.manual_seed(SEED)
    teacher = load_teacher(states, folder)
    model = shrink_encoder(copy.deepcopy(teacher))

    def loss_of(batch, progress):
        ids = windows.encoder_batch(batch, special)
        mask = (ids != 0).long()
        weight = max(0, 1 - progress / STATES_UNTIL)
        with autocast():
            reached = list_states(model, ids, mask)
            loss = compare(model.head(reached[-1][:, 0]).squeeze(-1), targets, batch)
            if weight == 0:
                return loss
            with torch.no_grad():
                expected = list_states(teacher, ids, mask)
        return loss + weight * compare_states(reached, expected[::2], mask)

    score = partial(score_encoder, model, windows, special)
    train("stage 2", model, all_parameters(model, 1.5e-4), Sampler(windows, SEED), loss_of, score, 10, STUDENT_COUNT)
    round_encoder(model)
    export_encoder(model, names, os.path.join(output, "injection-encoder.weights"))
    return model


def list_states(model, ids, mask):
    return model.encoder(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states


def compare_states(reached, expected, mask):
    """Compares the states after each layer; the head reads the first state of the last layer, so it counts twice."""
    loss = 0
    mask = mask.unsqueeze(-1).float()
    for number in range(1, len(reached)):
        errors = (reached[number].float() - expected[number].float()) ** 2
        mean = (errors * mask).sum() / mask.sum() / errors.shape[-1]
        if number == len(reached) - 1:
            mean = mean + errors[:, 0].mean()
        loss = loss + mean / expected[number].float().pow(2).mean()
    return loss


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


def score_student(model, windows):
    return score_windows(windows, lambda batch: model(*windows.batch(batch)), 8192)


def train_stage1(states, folder, windows, targets, special, names):
    torch.manual_seed(SEED)
    teacher = load_teacher(states, folder)
    model = Student(token_vectors(teacher, special, len(names))).to(DEVICE)

    def loss_of(batch, _):
        ids, origins = windows.batch(batch)
        # Hides some word pieces, so that no single one decides.
        ids = torch.where(torch.rand(ids.shape, device=DEVICE) < 0.08, 0, ids)
        return compare(model(ids, origins), targets, batch)

    groups = [
        {"params": [model.embedding.weight], "lr": 1e-3, "weight_decay": 0.0},
        {"params": [p for n, p in model.named_parameters() if not n.startswith("embedding")], "lr": 2e-3, "weight_decay": 1e-4},
    ]
    score = partial(score_student, model, windows)
    return train("stage 1", model, groups, Sampler(windows, SEED), loss_of, score, 15, STUDENT_COUNT, size=512, clip=math.inf)


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
HARMLESS_OFFSET = 1
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


def is_quantized(name, parameter):
    return parameter.ndim == 2 and "position" not in name and "token_type" not in name and not name.startswith("head")


def quantize_rows(weight):
    scale = np.abs(weight).max(1, keepdims=True) / 127 + 1e-12
    return np.clip(np.rint(weight / scale), -127, 127).astype(np.int8), scale[:, 0].astype(np.float32)


@torch.no_grad()
def round_encoder(model):
    """Rounds the matrices to what 8 bits can store."""
    for name, parameter in model.named_parameters():
        if is_quantized(name, parameter):
            quantized, scale = quantize_rows(parameter.float().cpu().numpy())
            parameter.copy_(torch.from_numpy(quantized * scale[:, None]))


@torch.no_grad()
def export_encoder(model, names, path):
    arrays = {}
    for name, parameter in model.named_parameters():
        value = parameter.float().cpu().numpy()
        short = name.removeprefix("encoder.")
        if is_quantized(name, parameter):
            arrays[short], arrays[f"{short}.scale"] = quantize_rows(value)
        else:
            arrays[short] = value[: WINDOW + 3] if "position" in name else value
    header = {"version": 1, "window": WINDOW, "stride": STRIDE, "layers": len(LAYERS), "origins": ORIGINS, "prefixes": PREFIXES}
    write_weights(path, header, arrays, names)


def train_teachers(folder, sentence_folder, train_examples, windows, dev, dev_windows, special):
    """Returns the weights of one teacher, and the mean logits of all."""
    tokens, dev_tokens = [encode_sentences(sentence_folder, list_texts(*both)) for both in ((windows, train_examples), (dev_windows, dev))]
    log("tokens of the sentence encoder")
    # One process for each teacher: the models are small, and one process alone leaves most of the device idle.
    share, seeds = TEACHERS["encoder"]
    sentence_share, sentence_seeds = TEACHERS["sentence_encoder"]
    with ProcessPoolExecutor(len(seeds) + len(sentence_seeds), multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(train_encoder_teacher, seed, folder, windows, dev_windows, special) for seed in seeds]
        tokenized = (windows, tokens, dev_windows, dev_tokens)
        sentence_jobs = [pool.submit(train_sentence_teacher, seed, sentence_folder, *tokenized) for seed in sentence_seeds]
        states, *logits = zip(*[job.result() for job in jobs])
        sentence_logits = zip(*[job.result() for job in sentence_jobs])
    means = [share * np.mean(a, 0) + sentence_share * np.mean(b, 0) for a, b in zip(logits, sentence_logits)]
    return states[0], *means


def main():
    path, folder, sentence_folder, output = sys.argv[1:]
    os.makedirs(output, exist_ok=True)
    examples = read_examples(path)
    train_examples = [item for item in examples if item["split"] == "train"]
    dev = [item for item in examples if item["split"] == "dev"]
    with open(os.path.join(folder, "pieces.txt"), encoding="utf-8") as file:
        names = file.read().split("\n")
    vocabulary = {name: number for number, name in enumerate(names)}
    special = {"start": vocabulary["[CLS]"], "end": vocabulary["[SEP]"], "origins": [vocabulary[name] for name in PREFIXES]}
    encoded, dev_encoded = [encode_all([item["text"] for item in items], vocabulary) for items in (train_examples, dev)]
    mixed = mix_windows(Windows(train_examples, encoded), train_examples, UNLABELED_COUNT, SEED)
    train_examples += mixed
    encoded += [(ids[:WINDOW], offsets[:WINDOW]) for ids, offsets in encode_all([item["text"] for item in mixed], vocabulary)]
    windows = Windows(train_examples, encoded)
    dev_windows = Windows(dev, dev_encoded)
    log(f"{len(windows.labels)} windows of {len(train_examples)} examples, {len(mixed)} without a label; dev {len(dev_windows.labels)} of {len(dev)}")

    states, logits, dev_logits = train_teachers(folder, sentence_folder, train_examples, windows, dev, dev_windows, special)
    report("teachers on every window", dev, highest(dev_windows, dev_logits, len(dev)))

    unlabeled = np.array([train_examples[owner]["source"] == UNLABELED for owner in windows.owners])
    windows.weights[unlabeled] = 1
    windows.labels[unlabeled] = logits[unlabeled] > 0
    targets = np.where(unlabeled, 1, 0.7) * sigmoid(logits) + np.where(unlabeled, 0, 0.3) * windows.labels
    targets = torch.from_numpy(targets.astype(np.float32)).to(DEVICE)

    second = train_stage2(states, folder, windows, targets, special, names, output)
    second_scores = score_encoder(second, dev_windows, special)
    report("stage 2 on every window", dev, highest(dev_windows, second_scores, len(dev)))
    first = train_stage1(states, folder, windows, targets, special, names)
    first_scores = score_student(first, dev_windows)
    report("stage 1", dev, highest(dev_windows, first_scores, len(dev)))
    logits = run_cascade(dev, dev_windows, first_scores, second_scores)
    report("both stages", dev, logits)
    export_student(first, names, choose_thresholds(dev, logits), os.path.join(output, "injection.weights"))


if __name__ == "__main__":
    main()
