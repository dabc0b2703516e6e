#!/bin/sh
# Every model and GPU that ships can be named, and says what it should.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
printf 'step,decode,prefill\n0,64x8,0:512\n' >"$tap_tmp/s.csv"
loads() { # MODEL HARDWARE
	printf '[model]\nconfig = %s\n[hardware]\nconfig = %s\n[cost_model]\nplugin = const_step\n' \
		"$1" "$2" >"$tap_tmp/c.ini"
	"$host" eval "$tap_tmp/c.ini" --steps "$tap_tmp/s.csv" >/dev/null
}
# A price above 0, with a kind and a month.
priced() { # HARDWARE
	printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = %s\n[cost_model]\nplugin = const_step\n[engine]\ntensor_parallel_size = 2\n[workload]\nnum_requests = 1\narrival = constant\nrequest_rate = 1\ninput_tokens = constant:9\noutput_tokens = constant:2\n' \
		"$1" >"$tap_tmp/p.ini"
	"$host" capacity "$tap_tmp/p.ini" --slo ttft_p99_ms=1 --one-draw --quiet --format json | grep '"gpu":' |
		grep -E '"gpu": "'"$1"'", "usd_per_hour": (0\.[0-9]+|[1-9][0-9.]*), "kind": "(on demand|estimate)", "lists": [1-9].*"to": "20[0-9][0-9]-[01][0-9]"'
}
for f in "$top_srcdir"/etc/hardware/*.ini; do
	name=$(basename "$f" .ini)
	t "hardware $name" loads llama-3.1-8b "$name"
	t "hardware $name has a price" priced "$name"
done
shows() { "$host" model show "$1" | grep -q "^ *parameters *$2\$"; }
while read -r name parameters; do
	t "model $name has $parameters parameters" shows "$name" "$parameters"
	case $name in
	*-nvfp4 | *-mxfp4) t "model $name in a configuration" loads "$name" b200-sxm ;;
	*) t "model $name in a configuration" loads "$name" h100-sxm ;;
	esac
done <<X
codellama-34b 33743970304
deepseek-r1-mxfp4 671026419200
deepseek-r1-nvfp4 671026419200
deepseek-r1 671026419200
deepseek-v2-lite 15706484224
deepseek-v3-nvfp4 671026419200
deepseek-v3 671026419200
deepseek-v4-flash 284332240471
deepseek-v4-pro 1572997201763
gemma-3-12b 11766034176
gemma-3-27b 27009346304
gemma-4-26b-a4b 25233141790
gemma-4-31b 30697345340
gemma-4-31b-nvfp4 30697345340
glm-5 743911218432
glm-5-fp8 743911218432
glm-5.2 743377019904
glm-5.2-fp8 743377019904
gpt-oss-120b 116829156672
gpt-oss-20b 20914757184
kimi-k2.5-nvfp4 1026408232448
kimi-k2.5 1026408232448
kimi-k3 2779484478208
llama-2-70b-fp8 68976648192
llama-2-70b 68976648192
llama-2-7b 6738415616
llama-3-8b 8030261248
llama-3.1-405b-fp8 405853388800
llama-3.1-405b 405853388800
llama-3.1-70b-fp8 70553706496
llama-3.1-70b-nvfp4 70553706496
llama-3.1-70b 70553706496
llama-3.1-8b-fp8 8030261248
llama-3.1-8b 8030261248
llama-3.3-70b 70553706496
llama-4-maverick-fp8 400711848960
llama-4-maverick 400711848960
llama-4-scout-fp8 107769861120
llama-4-scout 107769861120
minimax-m2.5-nvfp4 228689764864
minimax-m2.5 228689764864
minimax-m3 426174572928
mistral-large-2407 122610069504
mistral-nemo-12b 12247782400
mixtral-8x22b 140620634112
mixtral-8x7b-fp8 46702792704
mixtral-8x7b 46702792704
nemotron-3-nano-30b-a3b 31577940288
nemotron-3-super-120b-a12b-fp8 120668707840
nemotron-3-ultra-550b-a55b 549308993536
nemotron-3-ultra-550b-a55b-fp8 549308993536
nemotron-nano-12b-v2 12310001152
nemotron-nano-9b-v2 8888227328
qwen2.5-7b-gptq-int4 7615616512
qwen2.5-7b 7615616512
qwen3-14b 14768307200
qwen3-235b-a22b-fp8 235093634560
qwen3-235b-a22b-nvfp4 235093634560
qwen3-235b-a22b 235093634560
qwen3-30b-a3b 30532122624
qwen3-32b-fp8 32762123264
qwen3-32b-nvfp4 32762123264
qwen3-32b 32762123264
qwen3-8b 8190735360
qwen3-coder-480b-a35b-fp8 480154875392
qwen3-coder-480b-a35b 480154875392
qwen3.5-397b-a17b-fp8 396346350336
qwen3.5-397b-a17b-nvfp4 396346350336
qwen3.5-397b-a17b 396346350336
yi-34b 34388917248
X
ours() { [ "$(ls "$top_srcdir"/etc/models/*.ini | wc -l)" -eq 70 ]; }
t 'and no model is left out here' ours
# Of layers that only tables can price, a cost model that reads tables says so.
with_tables() { "$host" model show "$1" | tr -s ' \n' ' ' | grep -q 'priced_by .*operators (with tables)'; }
for name in deepseek-v4-flash deepseek-v4-pro; do
	t "model $name: operators prices it with tables" with_tables $name
done
tap_done
