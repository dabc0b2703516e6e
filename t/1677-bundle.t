#!/bin/sh
# A bundle repeats its result from its files alone, says what differs, and runs
# nothing that its reader does not trust.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(realpath "$top_builddir/stepcost") src=$(realpath "$top_srcdir") build=$(realpath "$top_builddir")
export STEPCOST_DATA_PATH="$src" STEPCOST_PLUGIN_PATH="$build/.libs"
cd "$tap_tmp" || exit 1
says() { # CODE WANT COMMAND...
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; [ $got -eq "$code" ] && grep -qF -- "$want" out
}
mkdir -p home elsewhere
bare() { (cd elsewhere && env -i HOME="$tap_tmp/home" STEPCOST_DATA_PATH="$tap_tmp/home" STEPCOST_PLUGIN_PATH="$build/.libs" "$host" "$@"); }
bundle() { "$host" bundle "$@" --quiet 2>err || { cat err; return 1; }; }

# --- the shipped start -----------------------------------------------------------
small='--set workload.num_requests=50'
# shellcheck disable=SC2086 # words
t 'a comparison' bundle a.stepcost -- compare quickstart $small --format json
# shellcheck disable=SC2086 # words
t 'once more' bundle b.stepcost -- compare quickstart $small
t 'the same bytes' cmp a.stepcost b.stepcost
t 'tar lists it' sh -c 'tar tf a.stepcost | grep -qx "data/[0-9]*/etc/quickstart.ini"'
t 'reproduced with nothing but the archive' says 0 'reproduced: the same bits (results ' bare bundle run "$tap_tmp/a.stepcost"
t 'in JSON' says 0 '"reproduced": true' bare bundle run "$tap_tmp/a.stepcost" --format json
t 'it leaves nothing behind' [ -z "$(ls -A elsewhere home | grep -v :)" ]
t 'what it has' says 0 'command: stepcost compare quickstart --set=workload.num_requests=50' "$host" bundle show a.stepcost

# --- files of one's own, in several folders, by relative and absolute paths --------
mkdir -p own/ini own/run other
printf 'arrival_us,input_tokens,output_tokens\n0,100,10\n9,200,5\n' >own/t.csv
printf 'tokens\n7\n9\n' >other/len.csv
printf 'step,decode,prefill,time_us\na,4096,,5000\nb,,0:512,9000\nc,128x4,0:64,7000\n' >own/run/steps.csv
head() { printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[tables]\nset = h100-sxm.infersim\n'; }
{ head; printf '[workload]\ntrace = ../t.csv\n[cost_model:a]\nplugin = roofline_v2\n[cost_model:b]\nplugin = exec\n'; } >own/ini/trace.ini
{ head; printf '[workload]\nnum_requests = 9\nrequest_rate = 5\ninput_tokens = empirical:%s/other/len.csv ; far away\noutput_tokens = 5\n[cost_model:a]\nplugin = roofline_v2\n' "$tap_tmp"; } >own/ini/len.ini
inside() { (cd own/run && bundle "$@"); }
again() { says 0 'reproduced: the same bits' bare bundle run "$tap_tmp/$1"; }
t 'a trace beside its INI, a program that prices' inside ../../c.stepcost -- compare ../ini/trace.ini
t 'again elsewhere' again c.stepcost
t 'lengths by an absolute path' inside ../../d.stepcost -- run "$tap_tmp/own/ini/len.ini"
mv other/len.csv other/gone.csv
t 'again without them' again d.stepcost
mv other/gone.csv other/len.csv
no_paths() { ! tar xOf d.stepcost bundle.json work | grep -qF "$tap_tmp"; }
t 'no path of this machine in its command and files' no_paths
t 'steps' inside ../../e.stepcost -- eval ../ini/len.ini --steps steps.csv
t 'again: steps' again e.stepcost
t 'scored steps' inside ../../f.stepcost -- score ../ini/len.ini --steps "$tap_tmp/own/run/steps.csv" --html page.html
t 'again: scored' again f.stepcost
t 'an experiment' bundle g.stepcost -- experiment h28
t 'again: an experiment' again g.stepcost
t 'a sweep' bundle h.stepcost -- sweep own/ini/len.ini --axis workload.request_rate=5,9 --store s.db
t 'again: a sweep' again h.stepcost

# --- refused when it is made ---------------------------------------------------------
t 'no command' says 2 'no command nothing' "$host" bundle x.stepcost -- nothing
t 'one that has no result' says 2 'a bundle repeats run, compare' "$host" bundle x.stepcost -- tables list
t 'another format' says 2 'keeps the JSON document itself' "$host" bundle x.stepcost -- run quickstart --format csv
t 'a command of the shell' says 2 'starts nothing else' "$host" bundle x.stepcost -- run quickstart --watch --make true
t 'a run that fails' says 2 'nowhere' "$host" bundle x.stepcost -- run nowhere.ini
t 'leaves no bundle' [ ! -e x.stepcost ]

# --- found when it is read -----------------------------------------------------------
edit() { # CODE IN OUT: python over a dict of members, written as a bundle again
	python3 - "$@" <<'X'
import hashlib, io, json, sys, tarfile
code, source, target = sys.argv[1:]
with tarfile.open(source) as t:
    m = {i.name: t.extractfile(i).read() for i in t}
head = json.loads(m["bundle.json"])
link, names = None, None
exec(code)
if not code.startswith("#"): # signed again
    head["members"] = {k: hashlib.sha256(v).hexdigest() for k, v in m.items() if k != "bundle.json"}
    m["bundle.json"] = json.dumps(head).encode()
with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as t:
    for k in sorted(m):
        i = tarfile.TarInfo(k)
        i.size = len(m[k])
        if k == link:
            i.type, i.linkname, i.size = tarfile.SYMTYPE, "/etc/passwd", 0
        t.addfile(i, io.BytesIO(m[k]))
X
}
refused() { edit "$1" a.stepcost x.stepcost && says "$2" "$3" bare bundle run "$tap_tmp/x.stepcost"; }
t 'as it is' refused '' 0 'reproduced'
t 'a byte of a table' refused '#
k = next(k for k in m if k.endswith("gemm.csv")); m[k] = m[k].replace(b"8.9", b"8.8", 1)' 3 'gemm.csv is not as it was packed'
t 'a member more' refused '#
m["work/more"] = b""' 3 'is not as it was packed'
t 'a member less' refused '#
del m["configuration.ini"]' 3 'a member is missing'
t 'a table that was changed and signed' refused 'k = next(k for k in m if k.endswith("gemm.csv")); m[k] = b"\n".join(l.replace(b"4096", b"4097") for l in m[k].split(b"\n"))' 1 'not reproduced'
t 'the first five figures' sh -c 'grep -c ", was " out | grep -qx 5 && grep -q "^and [0-9]* others" out'
t 'a figure of the result' refused 'm["result.json"] = m["result.json"].replace(b"\"completed\": 50", b"\"completed\": 49"); head["results_sha256"] = "0" * 64' 1 'completed: 50, was 49'
t 'a name above' refused 'm["work/../../x"] = b""' 3 'has a member outside of it'
t 'an absolute name' refused 'm["/tmp/x"] = b""' 3 'has a member outside of it'
t 'a link' refused 'm["work/l"] = b""; link = "work/l"' 3 'no regular file'
t 'another command' refused 'head["command"] = ["serve", "quickstart"]' 2 'a bundle repeats run'
t 'a command of the shell in it' refused 'head["command"] += ["--watch", "--make=touch /tmp/x"]' 2 'starts nothing else'
t 'an output in it' refused 'head["command"] += ["--html=page.html"]' 3 'options that change no figure'
t 'a file outside in it' refused 'head["command"] += ["--set=workload.trace=/etc/passwd"]' 3 'names a file outside'
t 'and by ..' refused 'head["command"] += ["--set=workload.trace=../../../x"]' 3 'names a file outside'
t 'by .. and the name of any folder' refused 'head["command"] += ["--set=workload.trace=../../../0/1/x"]' 3 'names a file outside'
t 'and as its folder' refused 'head["folder"] = "../x"' 3 'is no bundle'
cp "$build/.libs/const_step.so" const_step.so
loads() { # PATH: an INI in the bundle names code on the disk
	edit 'k = next(k for k in m if k.endswith("len.ini")); m[k] = m[k].replace(b"plugin = roofline_v2", b"plugin = '"$1"'")' e.stepcost x.stepcost &&
		! says 0 reproduced bare bundle run "$tap_tmp/x.stepcost" && grep -qF 'which is the whole list' out
}
t 'code on the disk, in an INI' loads "$tap_tmp/const_step.so"
t 'and by ..' loads "../../../../../../../..$tap_tmp/const_step.so"
t 'a .so beside its INI' refused 'm["work/own.so"] = b""' 2 'work/own.so is code that is not in plugins/; --trust runs it'
t 'no head' refused '#
m["bundle.json"] = b"{}"' 3 'is no bundle'
command head -c 5000 a.stepcost >x.stepcost
t 'cut off' says 3 'is cut off' bare bundle run "$tap_tmp/x.stepcost"
echo no >x.stepcost
t 'no archive' says 3 'x.stepcost: is no bundle' bare bundle run "$tap_tmp/x.stepcost"

# --- a plugin of one's own -------------------------------------------------------------
mkdir -p plug
"$host" plugins new mine --quiet >log 2>&1 || "$host" plugins new mine >log 2>&1
export PKG_CONFIG_PATH="$build"
if [ -d mine ] && make -s -C mine >log 2>&1; then
	mkdir -p plug/mine/src && cp mine/mine.so plug/mine/ && cp mine/*.c mine/Makefile plug/mine/src/
	{ head; printf '[workload]\nnum_requests = 9\nrequest_rate = 5\ninput_tokens = 50\noutput_tokens = 5\n[cost_model:m]\nplugin = mine\n'; } >mine.ini
	STEPCOST_PLUGIN_PATH=$tap_tmp/plug:$build/.libs
	t 'a plugin of one'\''s own' bundle m.stepcost -- run mine.ini
	STEPCOST_PLUGIN_PATH=$build/.libs
	t 'its source is packed' sh -c 'tar tf m.stepcost | grep -q "plugins/0/mine/src/mine.c"'
	t 'is refused' says 2 'is code that is not installed here; --trust runs it' bare bundle run "$tap_tmp/m.stepcost"
	t 'unless it is trusted' says 0 'reproduced' bare bundle run "$tap_tmp/m.stepcost" --trust
	t '--build needs trust' says 2 'mine' bare bundle run "$tap_tmp/m.stepcost" --build
	t 'built again: says what it runs' says 0 'bundle: runs: cd ' "$host" bundle run m.stepcost --trust --build
	t 'and the same bits' grep -q '^reproduced' out
else
	cat log
	skip 'a plugin of one'\''s own' 'no compiler, or plugins new failed'
fi
tap_done
