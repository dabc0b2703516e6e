#!/bin/sh
# Names that mean something to SQLite, Slurm or a path are names of files here,
# or are refused.
. "${top_srcdir:-.}/t/lib/tap.sh"
s=$(cd "$top_builddir" && pwd)/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model]
plugin = const_step
base_us = 1000
[workload]
num_requests = 5
request_rate = 10
input_tokens = constant:100
output_tokens = constant:4
END
sweep() { "$s" sweep c.ini --axis workload.seed=1,2 --quiet "$@" >out 2>err; }
refused() { # WORDS COMMAND...
	words=$1; shift
	"$@"; [ $? = 2 ] && grep -q "$words" err || { cat err; return 1; }
}
rows() { "$s" sweep show "./$1" --format csv | wc -l; }
kept() { # NAME: a store of this name is a file, and has its rows
	sweep --store "$1" && [ -f "./$1" ] && [ "$(rows "$1")" = 3 ]
}
for name in :memory: 'file:x.db?mode=memory' 'file::memory:?cache=shared' 'a?b#c%41.db' "it's a \"store\"" ' '; do
	t "--store $name" kept "$name"
done
absolute() { sweep --store "$PWD/a%20b.db" && [ -f 'a%20b.db' ] && sweep --store "/$PWD/two.db" && [ -f two.db ]; }
t 'a path from the root' absolute
t '--store ""' refused "store '': needs FILE.db" sweep --store ''
merge() { "$s" sweep merge "$@" >out 2>err; }
t 'sweep merge ""' refused 'name of a store is empty' merge '' ./:memory:
t 'sweep merge of ""' refused . merge m.db ''
show() { "$s" sweep show "$@" >out 2>err; }
t 'sweep show ""' refused . show ''
t '--slurm with a newline in the name' refused 'a newline in the name' \
	sweep --store s.db --slurm "$(printf 'x\n#SBATCH --x=y')" --shards 2 --slurm-dry-run
t '--slurm ""' refused "slurm '': needs DIR" sweep --store s.db --slurm '' --shards 2 --slurm-dry-run
shown() { # a name that colours a terminal is shown by its code
	sweep --store s.db --slurm "$(printf 'x\033[31m')" --shards 2 --slurm-dry-run &&
		grep -q 'x.x1b\[31m' out || { cat out err; return 1; }
	! grep -q "$(printf '\033')" out
}
t '--slurm-dry-run' shown
run() { "$s" run c.ini "$@" >out 2>err; }
mkdir -p sets/inner outside
echo 'gpu = x' >outside/MANIFEST
t 'a set outside of its folder' refused 'not a path' run --set tables.path=sets --set tables.set=../outside
t 'and one by way of another' refused 'not a path' run --set tables.path=sets --set tables.set=inner/../../outside
# A MANIFEST may have any bytes: it is read, or refused as a file, and no answer
# controls a terminal.
cat >manifests.py <<'END'
import json, os, subprocess, sys
program, folder = sys.argv[1:]
os.makedirs(folder + "/s")
with open(folder + "/s/gemm.csv", "w") as table:
    table.write("m,n,k,latency_us\n1,64,64,5\n2,64,64,6\n")
one = [bytes([i]) for i in [*range(37), *b":;=@Z[\\]`{~", 127, 128, 0x9b, 0xc3, 0xe2, 0xf0, 0xff]]
lines = {"key": [b"k%sz = 1\n" % b for b in one], "empty key": [b"%s= 1\n" % b for b in one],
         "value": [b"gpu = h%sz\n" % b for b in one], "alone": [b"gpu = %s\n" % b for b in one],
         "line": one, "empty": [b"", b"gpu =\n", b"=\n", b"= =\n", b"gpu = x\ngpu = y\n", b"[s]\ngpu = x\n"]}
bad = 0
for kind, texts in lines.items():
    for text in texts:
        with open(folder + "/s/MANIFEST", "wb") as manifest:
            manifest.write(text)
        done = subprocess.run([program, "tables", "list", "--path", folder, "--format", "json"], capture_output=True)
        said = (done.stdout + done.stderr).replace(b"\n", b"").replace(b"\t", b"").decode("utf-8", "replace")
        try:
            found = len(json.loads(done.stdout))
        except ValueError:
            found = -1
        fault = not said.isprintable() or (done.returncode, found) not in ((0, 1), (3, 0))
        if fault:
            bad += 1
            print(kind, text, done.returncode, said[:300])
sys.exit(bad > 0)
END
t 'any byte in a MANIFEST' python3 manifests.py "$s" "$tap_tmp/manifests"
tap_done
