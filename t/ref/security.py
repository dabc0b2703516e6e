#!/usr/bin/env python3
"""TAP: what SECURITY.md says that code and files of strangers cannot do is tried.

usage: security.py STEPCOST PLUGINS SECURITY.md

Each row of its tables is read, and needs a test here.  All runs are watched: PATH
has programs that note that they were started, and every file is compared."""
import hashlib
import io
import json
import os
import re
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile

import tap

PROGRAM, PLUGINS, PAGE = (os.path.abspath(x) for x in sys.argv[1:4])
PROGRAMS = "sh bash touch make cc gcc python3 perl gnuplot rsvg-convert sbatch squeue scancel scp cat curl".split()
NOTES = '#!/bin/sh\necho "${0##*/}" >>"%s"\nexit %d\n'
CONFIG = """[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
num_gpu_blocks = 1000
[workload]
num_requests = 3
request_rate = 1
input_tokens = constant:10
output_tokens = constant:2
[cost_model]
plugin = const_step
"""


class Place:
    """A home, a working folder and others, with all that is written there."""

    def __init__(self, top):
        self.top, self.work = top, os.path.join(top, "work")
        self.noted = os.path.join(top, "noted")
        for name in ("work", "home", "tmp", "bin", "plugins"):
            os.mkdir(os.path.join(top, name))
        for name in PROGRAMS:
            self.note(name)

    def path(self, *names):
        return os.path.join(self.top, *names)

    def note(self, name, code=1):
        self.file("../bin/" + name, NOTES % (self.noted, code), 0o755)

    def file(self, name, text, mode=0o644):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        return path

    def files(self):
        found = {}
        for folder, _, names in os.walk(self.top):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    found[os.path.join(folder, name)] = hashlib.md5(f.read()).hexdigest()
        return found

    def run(self, *words, may_write=(), may_start=(), path=None, text=None):
        """Returns (exit code, standard output, standard error, what it did that it may not)."""
        env = dict(os.environ, PATH=path or self.path("bin"), HOME=self.path("home"), TMPDIR=self.path("tmp"),
                   XDG_CACHE_HOME=self.path("home"), STEPCOST_PLUGIN_PATH=self.path("plugins") + ":" + PLUGINS)
        before = self.files()
        end = subprocess.run([PROGRAM, *words], cwd=self.work, env=env, capture_output=True, timeout=100,
                             input=(text or "").encode())
        did, after = [], self.files()
        for name in sorted(before.keys() | after.keys()):
            short = os.path.relpath(name, self.work)
            if before.get(name) != after.get(name) and name != self.noted and not short.startswith(tuple(may_write) or "\0"):
                did.append("%s: file %s" % (" ".join(words)[:100], short))
        if os.path.exists(self.noted):
            with open(self.noted) as f:
                did += ["%s: started %s" % (" ".join(words)[:100], x) for x in set(f.read().split()) - set(may_start)]
            os.remove(self.noted)
        if end.returncode not in (0, 1, 2, 3, 4):
            did.append("%s: exit code %d" % (" ".join(words)[:100], end.returncode))
        return end.returncode, end.stdout.decode(errors="replace"), end.stderr.decode(errors="replace"), did


def payloads(place):
    """Texts that a shell, SQLite, a spreadsheet or a path would take for an order."""
    bad = place.path("pwned")
    return ["$(touch %s)`touch %s`;touch %s|touch %s&&touch %s" % ((bad,) * 5), bad, "|touch " + bad,
            "file:%s?mode=rwc" % bad, "=cmd|'/C touch %s'!A0" % bad, "'; ATTACH '%s' AS x; --" % bad]


# ---- files of strangers ----

def text_keys(place):
    """Keys of the INI that take a text, with their sections."""
    sections = re.findall(r"^  help (\S+) +the keys of", place.run("help")[1], re.M)
    for section in sections:
        for line in place.run("help", section)[1].splitlines():
            key = re.match(r"  ([a-z_0-9]+) +=(.*)", line)
            if key and not re.search(r"\[[^\[]*\]\s*$|\|", key[2]):
                yield section, key[1]


def with_key(section, key, value):
    text, kept, where = "", False, None
    for line in CONFIG.splitlines():
        if line.startswith("["):
            where = line[1:-1]
        elif where == section and line.split(" ")[0] == key:
            continue
        text += line + "\n"
        if line == "[%s]" % section:
            text, kept = text + "%s = %s\n" % (key, value), True
    return text if kept else text + "[%s]\n%s = %s\n" % (section, key, value)


def an_ini(place):
    did, keys = [], list(text_keys(place))
    for section, key in keys:
        for value in payloads(place)[:2]:
            place.file("c.ini", with_key(section, key, value))
            did += place.run("run", "c.ini", "--quiet")[3]
    place.file("c.ini", CONFIG.replace("[cost_model]", "[cost_model:%s]" % payloads(place)[0].replace("]", "")))
    for words in (["compare", "c.ini"], ["run", "c.ini", "--format", "csv"], ["plugins", "check", "const_step"],
                  ["capacity", "c.ini", "--slo", "ttft_p99_ms=100", "--one-draw"]):
        did += place.run(*words)[3]
    return did if len(keys) > 20 else did + ["only %d keys were tried" % len(keys)]


def tables(place, text):
    place.file("sets/mine/MANIFEST", "gpu = %s\nsource = %s\n" % (text, text))
    place.file("sets/mine/gemm.csv", 'dtype,m,n,k,latency_us\n"%s",1,2,3,4\nbf16,16,4096,4096,9\n' % text.replace('"', "'"))
    place.file("sets/mine/evil.so", "\177ELF")
    place.file("sets/mine/__init__.py", "import os; os.system('touch pwned')")
    return [["tables", "check", "mine", "--path", "sets"], ["tables", "list", "--path", "sets"],
            ["run", "c.ini", "--set", "tables.path=sets", "--set", "tables.set=mine"]]


def hostile_files(place, text):
    """Writes a file of each kind; returns the commands that read them."""
    quoted, cell = json.dumps(text), '"%s"' % text.replace('"', '""')
    model = {"model_type": "llama", "architectures": ["LlamaForCausalLM", text], "hidden_size": 4096,
             "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 4, "vocab_size": 1000,
             "torch_dtype": text, "auto_map": {"AutoConfig": "evil." + text}, "_name_or_path": text}
    place.file("c.ini", CONFIG)
    place.file("model.json", json.dumps(model))
    place.file("evil.py", "import os\nos.system('touch pwned')\n")
    place.file("t.csv", "id,time,in,out\n%s,0,10,2\n%s,1,%s,2\n" % (cell, cell, cell))
    place.file("t.jsonl", '{"timestamp": 0, "input_length": 9, "output_length": 2, "hash_ids": [1], "session": %s}\n' % quoted)
    place.file("s.csv", "step,decode,prefill,deployment\n0,64,,%s\n%s,,0:5,x\n" % (cell, cell))
    place.file("p.csv", "op,m,n,k,dtype\ngemm,1,2,3,%s\n%s,1,2,3,bf16\n" % (cell, cell))
    place.file("m.csv", "id,model,gpu,num_requests,request_rate,input_tokens,output_tokens,mean_ttft_ms\n"
                        "%s,%s,h100-sxm,2,1,10,2,5\n%s,llama-3.1-8b,h100-sxm,2,1,10,2,5\n" % (cell, cell, cell))
    place.file("m.json", '{"model_id": %s, "backend": %s, "num_prompts": 2, "request_rate": 1, "mean_ttft_ms": 5}' % (quoted, quoted))
    place.file("l.yaml", "a: !!python/object/apply:os.system [%s]\ncommand: [vllm, serve, %s]\n" % (quoted, quoted))
    place.file("l.sh", "vllm serve %s --tensor-parallel-size %s\nvllm serve $(touch pwned) --load-format %s\n" % (text, text, text))
    by_columns = ["--set", "workload.trace=t.csv", "--set", "workload.columns=time:time,input:in,output:out"]
    return [["model", "show", "./model.json"], ["run", "c.ini", "--set", "model.config=./model.json"],
            ["run", "c.ini", *by_columns], ["trace", "info", "t.csv"], ["trace", "info", "t.jsonl"],
            ["run", "c.ini", "--set", "workload.trace=t.jsonl"], ["eval", "c.ini", "--steps", "s.csv"],
            ["score", "c.ini", "--steps", "s.csv"], ["kernel", "c.ini", "--points", "p.csv"],
            ["validate", "c.ini", "--measured", "m.csv"], ["validate", "c.ini", "--measured", "m.json"],
            ["import", "launch", "l.yaml"], ["import", "launch", "l.sh"], ["import", "steps", "t.jsonl"],
            *tables(place, text)]


def a_trace_and_others(place):
    did = []
    for text in payloads(place):
        for words in hostile_files(place, text):
            did += place.run(*words)[3]
    return did


def store(place):
    place.file("c.ini", CONFIG)
    code = place.run("sweep", "c.ini", "--axis", "workload.seed=1,2", "--store", "s.db", "--quiet", may_write=["s.db"])
    return [] if code[0] == 0 else ["no store: " + code[2]]


def own_code(place):
    """SQL that runs code, if anything of a schema is run."""
    bad = place.path("pwned")
    calls = ["load_extension('%s')" % place.file("evil.so", "\177ELF"), "writefile('%s', 'x')" % bad, "edit('x', 'touch %s')" % bad,
             "fts3_tokenizer('x', x'0102030405060708')", "readfile('%s')" % place.file("secret", "s3cr3t")]
    for at, call in enumerate(calls):
        for when, table in (("INSERT", "result"), ("INSERT", "log"), ("UPDATE", "study"), ("DELETE", "point")):
            yield "CREATE TRIGGER t%d%s AFTER %s ON %s BEGIN SELECT %s; END" % (at, table, when, table, call)
        yield "CREATE VIEW v%d AS SELECT %s" % (at, call)
    yield "CREATE TRIGGER spoil AFTER INSERT ON result BEGIN DELETE FROM study; END"


def spoilt(place, *statements):
    db = sqlite3.connect(os.path.join(place.work, "s.db"))
    n = 0
    for statement in statements:
        try:
            db.execute(statement)
            n += 1
        except sqlite3.Error:
            pass
    db.commit()
    db.close()
    return n


READ_STORE = [["sweep", "show", "s.db"], ["sweep", "check", "s.db"], ["sweep", "pareto", "s.db", "--x", "output_throughput", "--y", "p99_ttft_ms"],
              ["sweep", "plot", "s.db", "--html", "plot.html"], ["sweep", "merge", "m.db", "s.db"],
              ["sweep", "show", "s.db", "--format", "csv"]]


def use_store(place):
    did = []
    for words in READ_STORE:
        did += place.run(*words, may_write=["plot.html", "m.db"])[3]
    did += place.run("sweep", "c.ini", "--axis", "workload.seed=1,2,3", "--store", "s.db", "--quiet", may_write=["s.db"])[3]
    for name in "m.db", "plot.html":
        if os.path.exists(os.path.join(place.work, name)):
            os.remove(os.path.join(place.work, name))
    return did


def a_store(place):
    did = store(place)
    with open(os.path.join(place.work, "s.db"), "rb") as f:
        good = f.read()
    spoilt(place, *own_code(place), "DROP VIEW results", "CREATE VIEW results AS SELECT load_extension('evil.so'), * FROM result")
    did += use_store(place)
    place.file("s.db", good)
    spoilt(place, *own_code(place))
    did += use_store(place)
    return did + journal(place, good)


def journal(place, good):
    """A journal that names a file, which SQLite deletes when it has finished the journal."""
    victim = place.file("victim", "a letter")
    name, page = victim.encode(), struct.unpack(">H", good[16:18])[0]
    magic = bytes.fromhex("d9d505f920a163d7")
    head = magic + struct.pack(">IIIII", 0, 0, len(good) // page, 512, page)
    data = head.ljust(512, b"\0") + struct.pack(">I", 0x40000000 // page + 1) + name + struct.pack(
        ">II", len(name), sum(name)) + magic
    did = []
    for words in READ_STORE + [["sweep", "c.ini", "--axis", "workload.seed=1,2", "--store", "s.db"]]:
        place.file("s.db-journal", data)
        code, _, err, found = place.run(*words, may_write=["plot.html", "s.db"])
        did += found + ([] if "names another file" in err else ["%s: no message" % " ".join(words)])
    return did


def answers(place):
    """Answers of an exec plugin: lines without an end, deep ones, broken ones, silence."""
    shutil.copy(os.path.join(PLUGINS, "exec.so"), place.path("plugins", "exec.so"))
    place.file("c.ini", CONFIG.replace("plugin = const_step", "plugin = exec\ntimeout_ms = 1500"))
    did = []
    for step in ('sys.stdout.write("x" * (1 << 24))', 'sys.stdout.write("{" * (1 << 20) + "\\n")',
                 "print('{\"total_us\": %s}' % ('9' * 100000))", "print('{\"error\": \"%s\"}' % ('e' * 100000))",
                 "print('\\0' * 9000)", "time.sleep(60)", "sys.exit(0)", "os.kill(os.getpid(), 9)"):
        place.file("../plugins/exec.py", "import os, sys, time\nsys.stdin.readline()\nprint('{\"ready\":1}', flush=True)\n"
                   "for line in sys.stdin:\n    %s\n    sys.stdout.flush()\n" % step)
        code, _, err, found = place.run("run", "c.ini", path=real_python(place))
        did += found + ([] if code == 4 and len(err) < 3000 and "exec" in err else ["%s: code %d: %s" % (step, code, err[:300])])
    os.remove(place.path("plugins", "exec.so"))
    os.remove(place.path("plugins", "exec.py"))
    return did


# ---- programs that are started ----

def real_python(place):
    """PATH with a Python and the notes of all else."""
    own = place.path("python")
    if not os.path.isdir(own):
        shutil.copytree(place.path("bin"), own)
        os.remove(os.path.join(own, "python3"))
        os.symlink(sys.executable, os.path.join(own, "python3"))
    return own


def a_cost_model(place):
    """By path only where one is written; nothing of the working folder by its name alone."""
    with open(os.path.join(PLUGINS, "const_step.so"), "rb") as f:
        code = f.read()
    place.file("mine.so", code)
    place.file("own/const_step.so", code)
    place.file("c.ini", CONFIG.replace("= const_step", "= mine"))
    by_name = place.run("run", "c.ini")
    place.file("c.ini", CONFIG.replace("= const_step", "= ./own/const_step.so"))
    by_path = place.run("run", "c.ini")
    return by_name[3] + by_path[3] + (["found by its name"] if by_name[0] != 2 else []) + (
        ["not found by its path: " + by_path[2]] if by_path[0] else [])


def asked_for_knobs(place):
    """`plugins list` loads each plugin of the search path."""
    shutil.copy(os.path.join(PLUGINS, "const_step.so"), place.path("plugins", "stranger.so"))
    code, out, _, did = place.run("plugins", "list")
    os.remove(place.path("plugins", "stranger.so"))
    return did + ([] if code in (0, 4) and out.count("const_step") > 0 else ["list: " + out[:200]])


def without_a_shell(place):
    shutil.copy(os.path.join(PLUGINS, "exec.so"), place.path("plugins", "exec.so"))
    place.file("../plugins/exec.py", "import sys\nsys.stdin.readline()\nprint('{\"ready\":1}', flush=True)\n"
               "for line in sys.stdin:\n    print('{\"total_us\":1}', flush=True)\n")
    place.file("c.ini", CONFIG.replace("= const_step", "= exec"))
    code, _, err, did = place.run("run", "c.ini", path=real_python(place))
    os.remove(place.path("plugins", "exec.so"))
    return did + ([] if code == 0 else [err])


def no_python(place):
    """Only a plugin with a program starts a Python."""
    place.file("c.ini", CONFIG)
    return sum((place.run(*w)[3] for w in (["run", "c.ini"], ["compare", "c.ini"], ["plugins", "list"], ["help"])), [])


def slurm(place):
    place.file("c.ini", CONFIG)
    words = ["sweep", "c.ini", "--axis", "workload.seed=1,2", "--store", "q.db", "--slurm", "jobs", "--shards", "2"]
    did = place.run(*words, may_write=["jobs", "q.db"], may_start=["sbatch", "squeue", "scancel"])[3]
    dry = place.run(*words, "--slurm-dry-run", may_write=["jobs", "q.db"])[3]
    return did + dry


def rsvg_convert(place):
    place.file("c.ini", CONFIG)
    started = place.run("compare", "c.ini", "--plot", "p.png", may_start=["rsvg-convert"], may_write=["p."])
    without = place.run("compare", "c.ini", "--plot", "o.svg", "--html", "o.html", may_write=["o."])
    return started[3] + without[3]


def a_command(place):
    """Without --watch it is refused; a bundle and a configuration have none."""
    place.file("c.ini", CONFIG)
    place.file("Makefile", "all:\n\ttouch pwned\n")
    did = place.run("run", "c.ini")[3]
    for words in (["run", "c.ini", "--make", "touch it"], ["bundle", "b.stepcost", "--", "run", "c.ini", "--watch", "--make", "touch it"]):
        code, _, _, found = place.run(*words)
        did += found + ([] if code == 2 else ["exit code %d" % code])
    return did


# ---- bundles ----

PRICES = "import sys\n%s\nsys.stdin.readline()\nprint('{\"ready\":1}', flush=True)\n" \
    "for line in sys.stdin:\n    print('{\"total_us\":1000}', flush=True)\n"


def bundle(place):
    """The members of a bundle; its model is a program beside its INI."""
    with open(os.path.join(PLUGINS, "exec.so"), "rb") as f:
        place.file("exec.so", f.read())
    place.file("exec.py", PRICES % "")
    place.file("c.ini", CONFIG.replace("= const_step", "= ./exec.so"))
    code, _, err, _ = place.run("bundle", "a.stepcost", "--", "run", "c.ini", path=real_python(place))
    with tarfile.open(os.path.join(place.work, "a.stepcost")) as t:
        return {i.name: t.extractfile(i).read() for i in t}


def pack(place, members):
    """Signs them, and writes x.stepcost."""
    head = json.loads(members["bundle.json"])
    head["members"] = {k: hashlib.sha256(v).hexdigest() for k, v in members.items() if k != "bundle.json"}
    with tarfile.open(os.path.join(place.work, "x.stepcost"), "w", format=tarfile.USTAR_FORMAT) as t:
        for name, data in sorted({**members, "bundle.json": json.dumps(head).encode()}.items()):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))


def a_bundle(place):
    """Its program in each folder that a member may name, and files named by its INI and its command."""
    good, did = bundle(place), []
    evil = (PRICES % ("open(%r, 'w')" % place.path("pwned"))).encode()
    for name in "exec.so", "exec.py", "a.stepcost":
        os.remove(os.path.join(place.work, name))
    for folder in "work/", "work/a/", "data/0/", "data/0/plugins/0/", "plugins/0/", "plugins/0/exec/", "PLUGINS/0/", "./plugins/0/":
        members = {k: v for k, v in good.items() if not k.startswith("work/exec")}
        members[folder + "exec.so"], members[folder + "exec.py"] = good["work/exec.so"], evil
        for name in "../" + folder + "exec.so", "./exec.so", "exec":
            members["work/c.ini"] = good["work/c.ini"].replace(b"./exec.so", name.encode())
            pack(place, members)
            code, _, err, found = place.run("bundle", "run", "x.stepcost", path=real_python(place), may_write=["x.stepcost"])
            did += found + ([] if code in (2, 3) else ["%s%s: exit code %d" % (folder, name, code)])
    return did


def by_make(place):
    members = bundle(place)
    members["plugins/0/exec/src/Makefile"] = b"all:\n\ttouch pwned\n"
    pack(place, members)
    did = [x for words in (["--build"], []) for x in place.run("bundle", "run", "x.stepcost", *words)[3]]
    return did


# ---- limits ----

LIMITS = [(n, getattr(resource, n)) for n in sorted(dir(resource)) if n.startswith("RLIMIT_")]


def limits(place):
    """The child of an arm has two limits that its parent lacks, and no others."""
    shutil.copy(os.path.join(PLUGINS, "exec.so"), place.path("plugins", "exec.so"))
    place.file("../plugins/exec.py", "import resource, sys\nsys.stdin.readline()\n"
               "print('{\"ready\":1}', flush=True)\nfor line in sys.stdin:\n"
               "    print('{\"error\": \"limits %%s\"}' %% [int(resource.getrlimit(n) != was) for n, was in %s], flush=True)\n"
               % [(n, resource.getrlimit(n)) for _, n in LIMITS])
    place.file("c.ini", CONFIG.replace("= const_step", "= exec"))
    code, _, err, did = place.run("run", "c.ini", path=real_python(place))
    os.remove(place.path("plugins", "exec.so"))
    differs = re.search(r"limits \[([01, ]+)\]", err)
    if not differs:
        return did + ["no limits: " + err]
    names = [name for (name, _), x in zip(LIMITS, differs[1].split(",")) if int(x)]
    with open(PROGRAM, "rb") as f:  # sanitizers reserve more address space than there is
        wanted = ["RLIMIT_CORE"] if b"__asan_init" in f.read() else ["RLIMIT_AS", "RLIMIT_CORE"]
    return did + ([] if names == wanted else ["these are set: %s" % names])


# The first cell of a row, and its test.
TESTS = {
    "a cost model, a shared object": a_cost_model,
    "the same, to ask for its knobs": asked_for_knobs,
    "the program of an `exec` plugin, without a shell": without_a_shell,
    "`python3`, for a cost model that is a Python class": no_python,
    "`sbatch`, `squeue`, `scancel`, and `stepcost` in their jobs": slurm,
    "`rsvg-convert`, and `sh` to look for it": rsvg_convert,
    "`sh` with a command": a_command,
    "`make`, and what it runs": by_make,
    "a plugin, an `exec` program": None,  # nothing is out of its reach
    "an INI": an_ini,
    "a trace, a table, a `config.json`, steps, points, measured runs": a_trace_and_others,
    "a bundle": a_bundle,
    "a sweep store": a_store,
    "the answers of an `exec` program": answers,
    "seccomp, no new files or sockets": without_a_shell,
    "RLIMIT_CPU": limits,
    "RLIMIT_FSIZE": limits,
    "RLIMIT_NPROC": limits,
    "RLIMIT_NOFILE": limits,
}


def rows(page):
    """First cells of the tables' rows, and the last ones."""
    with open(page) as f:
        lines = f.read().splitlines()
    for at, line in enumerate(lines):
        if line.startswith("|") and not re.match(r"\|[-|]+$", line) and not (
                at + 1 < len(lines) and re.match(r"\|[-|]+$", lines[at + 1])):
            cells = [x.strip() for x in line.strip("|").split("|")]
            yield cells[0], cells[-1]


def main():
    found = list(rows(PAGE))
    tap.ok(len(found) > 14, "the page has its tables")
    with tempfile.TemporaryDirectory() as top:
        place = Place(os.path.realpath(top))
        place.file("c.ini", CONFIG)
        code, _, err, did = place.run("run", "c.ini")
        tap.ok(code == 0 and not did, "the configuration is sound", err, *did)
        tap.ok(len(place.run("run", "c.ini", "--perfetto", "trace")[3]) == 1, "a file that is written is seen")
        started = place.run("compare", "c.ini", "--plot", "p.png", may_write=["p."])
        tap.ok(len(started[3]) == 1, "a program that is started is seen", *started[2:])
    for name, last in found:
        if name not in TESTS:
            tap.ok(False, "%s: %s" % (name, last), "no test tries this row")
        elif TESTS[name] is not None:
            with tempfile.TemporaryDirectory() as top:
                did = TESTS[name](Place(os.path.realpath(top)))
            tap.ok(not did, "%s: %s" % (name, last), *did)
    gone = set(TESTS) - {name for name, _ in found}
    tap.ok(not gone, "each test has its row", *gone)
    tap.done()


main()
