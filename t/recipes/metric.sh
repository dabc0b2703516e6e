# A name with a dot and a hyphen must pass through SQL.
words='NAME=p99.9-probe '"CONFIG=$work/probe.ini STORE=$work/probe.db"
wants='"p99.9-probe": 20
workload.
p99.9-probe'
plant() {
	before src/record/metrics.c 'const struct metric metric[] = {' 'static double probe(const struct outcome *o, size_t arg)
{
	(void)arg;
	return (double)o->total_output_tokens / (double)o->completed;
}
'
	before src/record/metrics.c '    COUNT("num_steps"' '    NUMBER("p99.9-probe", "tok", 1, 0, 0, probe, 0),'
	before doc/results.md '| `gpu_idle_share`' '| `p99.9-probe` | tokens | a word |'
	cat >"$work/probe.ini" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 20
request_rate = 4
input_tokens = constant:200
output_tokens = constant:20
[cost_model:a]
plugin = const_step
X
}
