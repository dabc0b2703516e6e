#!/bin/sh
# Random agents as OpenTelemetry spans: every call comes when a reference, which
# is written from the definition, says.
. "${top_srcdir:-.}/t/lib/tap.sh"
STEPCOST_DATA_PATH=$top_srcdir
export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1
case $top_builddir in /*) ;; *) top_builddir=$OLDPWD/$top_builddir ;; esac
case $top_srcdir in /*) ;; *) STEPCOST_DATA_PATH=$OLDPWD/$top_srcdir ;; esac
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$OLDPWD/$STEPCOST_PLUGIN_PATH ;; esac
cat >c.ini <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
front_end = none
[cost_model]
plugin = const_step
END
cat >agents.py <<'END'
import csv, json, random, subprocess, sys

# A span: [parent or None, is it a call, start, end, name, session].
def make(r):
    spans = []
    def grow(parent, start, depth, session):
        at = start
        for _ in range(r.randint(1, 4)):
            begin = at + r.randint(-3, 4) * 1000003
            begin = max(begin, 1)
            if depth < 3 and r.random() < .45:
                me = len(spans)
                spans.append([parent, False, begin, begin + r.randint(0, 5) * 1000, me, session])
                at = grow(me, begin, depth + 1, session)
            else:
                end = begin + r.randint(0, 6) * 1000007
                spans.append([parent, True, begin, end, len(spans), session])
                at = end
        return at
    for session in range(r.randint(1, 3)):
        grow(None, 10**9 + r.randint(0, 9) * 10**6, 0, session)
    return spans

def otlp(r, spans):
    lines = []
    order = list(range(len(spans)))
    r.shuffle(order)
    for part in (order[::2], order[1::2]):
        for version in (0, 1):
            out = []
            for i in part[version::2]:
                parent, call, start, end, name, session = spans[i]
                old = version
                a = [{"key": "gen_ai.operation.name",
                      "value": {"stringValue": "chat" if call else "invoke_agent"}}]
                if call:
                    a += [{"key": "gen_ai.usage." + ("prompt_tokens" if old else "input_tokens"),
                           "value": {"intValue": str(i + 1)}},
                          {"key": "gen_ai.usage." + ("completion_tokens" if old else "output_tokens"),
                           "value": {"intValue": 2}}]
                r.shuffle(a)
                s = {"traceId": "%032x" % session, "spanId": "%016x" % (i + 1), "name": str(name),
                     "startTimeUnixNano": str(start), "endTimeUnixNano": str(end), "attributes": a}
                if parent is not None:
                    s["parentSpanId"] = "%016x" % (parent + 1)
                out.append(s)
            lines.append({"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": out}]}]})
    return "".join(json.dumps(x) + "\n" for x in lines)

# The spans around a span, from the outermost, each with its place.
def path(spans, i):
    p = []
    while i is not None:
        p.append(i)
        i = spans[i][0]
    return p[::-1]

def hull(spans, i, inside):
    calls = [spans[k] for k in inside[i] if spans[k][1]]
    return (min(c[2] for c in calls), max(c[3] for c in calls), i) if calls else None

def check(spans, rows):
    inside = {i: [k for k in range(len(spans)) if i in path(spans, k)] for i in range(len(spans))}
    calls = [i for i in range(len(spans)) if spans[i][1]]
    first = min(spans[i][2] for i in calls)
    for b in calls:
        before = []
        for a in calls:
            if a == b or spans[a][5] != spans[b][5]:
                continue
            pa, pb = path(spans, a), path(spans, b)
            k = 0
            while pa[k] == pb[k]:
                k += 1
            ha, hb = hull(spans, pa[k], inside), hull(spans, pb[k], inside)
            if ha[1] <= hb[0] and (ha[0], ha[1], ha[2]) < (hb[0], hb[1], hb[2]):
                before.append(a)
        if before:
            want = max(rows[a][1] for a in before) + spans[b][2] - max(spans[a][3] for a in before)
        else:
            want = spans[b][2] - first
        if rows[b][0] != want:
            sys.exit("call %d comes at %d, not %d" % (b, rows[b][0], want))
    return len(calls)

stepcost, n = sys.argv[1], 0
for seed in range(40):
    r = random.Random(seed)
    spans = make(r)
    if not any(s[1] for s in spans):
        continue
    open("t.jsonl", "w").write(otlp(r, spans))
    subprocess.run([stepcost, "run", "c.ini", "--set", "workload.trace=t.jsonl", "--quiet",
                    "--write-requests", "r.csv", "--output", "out"], check=True)
    rows = {int(x["input_tokens"]) - 1: (int(x["arrival_ns"]), int(x["last_token_ns"]))
            for x in csv.DictReader(open("r.csv"))}
    n += check(spans, rows)
assert n > 400, n
END
waits() { python3 agents.py "$top_builddir/stepcost"; }
if command -v python3 >/dev/null; then
	t 'each call comes when the reference says' waits
else
	skip 'each call comes when the reference says' 'no python3'
fi
tap_done
