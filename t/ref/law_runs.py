"""Commands of stepcost on a configuration, for laws.py: each returns what it answered,
without `identity` (which names the files that it read and wrote)."""
import collections
import csv
import io
import json
import os
import re
import subprocess

Answer = collections.namedtuple("Answer", "code document files errors")
SLO = "ttft_p90_ms=2000,tpot_mean_ms=200"
# Steps with and without a graph, of prompts, of decodes and of both.
STEPS = """step,decode,prefill,time_us
0,,0:14,120
1,20,,110
2,20;30;7,,130
3,40,0:30;16:8,180
4,100x8,,140
"""
MEASURED = """id,protocol,model,gpu,concurrency,num_requests,input_tokens,output_tokens,mean_e2el_ms
x,closed,small,tiny,2,8,30,6,5
y,closed,small,tiny,1,5,12,3,3
"""
EXPERIMENT = """[experiment]
title = Two steps
question = Which step takes longer?
source = none
refuted_if = the second takes less
refuted = all(t: two >= one)
"""
MODEL = """[model]
num_hidden_layers = 1
hidden_size = 32
num_attention_heads = 2
vocab_size = 1000
"""
GPU = """[hardware]
bf16_tflops = 90
memory_bandwidth_tbs = 2
memory_gib = 8
link_bandwidth_gbs = 50
"""


def data_folder(top, root):
    """A data path with few models and GPUs: to read all that are shipped takes milliseconds."""
    for name, text in (("models/small.ini", MODEL), ("hardware/tiny.ini", GPU)):
        path = os.path.join(top, "etc", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    for name in ("measured.ini", "measured-apart.ini", "protocols.csv", "hardware/h100-sxm.ini", "models/llama-3.1-8b.ini",
                 "models/mixtral-8x7b.ini"):
        with open(os.path.join(root, "etc", name)) as f, open(os.path.join(top, "etc", name), "w") as to:
            to.write(f.read())


# Command: its words, its options, and the file that it reads beside the configuration.
WRITTEN = ("--write-requests", "r.csv", "--write-steps", "s.csv")
COMMANDS = {
    "run": ("run", WRITTEN, None),
    "compare": ("compare", WRITTEN, None),
    "explain": ("compare", ("--why",), None),
    "eval": ("eval", ("--steps", "e.csv"), ("e.csv", STEPS)),
    "score": ("score", ("--steps", "e.csv"), ("e.csv", STEPS)),
    "validate": ("validate", ("--measured", "m.csv"), ("m.csv", MEASURED)),
    "sweep": ("sweep", ("--axis", "workload.seed=1,2", "--store", "x.db"), None),
    "capacity": ("capacity", ("--slo", SLO, "--one-draw"), None),
    "intervals": ("capacity", ("--slo", SLO, "--precision", "0.3", "--request-limit", "3000"), None),
    "recommend": ("recommend", ("--gpus", "2", "--slo", SLO, "--budget", "4", "--one-draw", "--fix",
                                "engine.max_num_seqs,engine.max_num_batched_tokens,workload.num_requests"), None),
}
# How much longer than `run` a command takes: how rarely it is drawn.
DRAWN = {"run": 10, "compare": 6, "explain": 3, "eval": 3, "score": 2, "validate": 1.5, "sweep": 1.5, "capacity": 1.5, "intervals": 0.1,
         "recommend": 0.4}


class Program:
    """Runs the program in a folder of its own, and counts."""

    def __init__(self, path, folder, root):
        self.path, self.folder = path, folder
        self.runs = 0
        self.data = os.path.join(folder, "data")
        data_folder(self.data, root)
        self.environment = dict(os.environ, STEPCOST_DATA_PATH="!" + self.data)

    def tell(self, words, files=()):
        self.runs += 1
        for name, text in files:
            with open(os.path.join(self.folder, name), "w") as f:
                f.write(text)
        return subprocess.run([self.path, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)

    def take(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return None
        with open(path, newline="", errors="replace") as f:
            text = f.read()
        os.unlink(path)
        return text

    def ask(self, command, c, options=(), text=None):
        """Returns the answer of the command about a configuration."""
        words, own, file = COMMANDS[command]
        own = without(own, options)
        done = self.tell([words, "c.ini", "--quiet", "--format", "json", *own, *options],
                         [("c.ini", text or c.text())] + ([file] if file else []))
        files = {name: self.take(name) for name in own if name.endswith(".csv") and not (file and file[0] == name)}
        # The line of a message is where the key is.
        document = parsed(re.sub(r"\bc\.ini:\d+", "c.ini", done.stdout))
        if command == "sweep":
            document = table(self.tell(["sweep", "show", "x.db", "--format", "csv"]).stdout)
            self.take("x.db")
            if document and all(row["status"] == "refused" for row in document):
                done.returncode, done.stderr = 2, "stepcost: " + document[0]["error"]
        return Answer(done.returncode, document, files, done.stderr)


def without(own, options):
    """The options that no other one takes the place of, with their values."""
    left, keep = [], True
    for word in own:
        keep = word not in options if word.startswith("--") else keep
        left += [word] * keep
    return left


def parsed(text):
    try:
        document = json.loads(text) if text else None
    except ValueError:
        return {"no document": text[:200]}
    if isinstance(document, dict):
        document.pop("identity", None)
    return document


def table(text):
    return list(csv.DictReader(io.StringIO(text or "")))


def is_refused(answer):
    """Exit codes 2 (usage), 3 (input), 4 (plugin) say why; others are answers."""
    return answer.code not in (0, 1) or (answer.document is None)


def message_of(answer):
    return re.sub(r"\s+", " ", answer.errors.strip())[:300]


def first_difference(a, b, path=""):
    """The place where two documents differ first, with both values, or None."""
    if type(a) is not type(b) and not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        return "%s: %.80r, %.80r" % (path, a, b)
    if isinstance(a, dict):
        for key in a:
            if key not in b:
                return "%s.%s: %.80r, and not there" % (path, key, a[key])
            found = first_difference(a[key], b[key], path + "." + key)
            if found:
                return found
        more = [k for k in b if k not in a]
        return "%s.%s: not there, and %.80r" % (path, more[0], b[more[0]]) if more else None
    if isinstance(a, list):
        if len(a) != len(b):
            return "%s: %d items, and %d" % (path, len(a), len(b))
        for i, (x, y) in enumerate(zip(a, b)):
            found = first_difference(x, y, "%s[%d]" % (path, i))
            if found:
                return found
        return None
    return None if a == b else "%s: %.80r, %.80r" % (path, a, b)
