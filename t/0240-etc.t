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
for f in "$top_srcdir"/etc/hardware/*.ini; do
	name=$(basename "$f" .ini)
	t "hardware $name" loads llama-3.1-8b "$name"
done
shows() { "$host" model show "$1" | grep -q "^ *parameters *$2\$"; }
while read -r name parameters; do
	t "model $name has $parameters parameters" shows "$name" "$parameters"
	t "model $name in a configuration" loads "$name" h100-sxm
done <<X
codellama-34b 33743970304
deepseek-v2-lite 15706484224
deepseek-v3 671026419200
gpt-oss-20b 20914757184
llama-2-70b 68976648192
llama-2-7b 6738415616
llama-3.1-70b 70553706496
llama-3.1-8b 8030261248
llama-4-scout 107769861120
llama-4-scout-fp8 107769861120
mistral-nemo-12b 12247782400
mixtral-8x22b 140620634112
mixtral-8x7b 46702792704
qwen2.5-7b 7615616512
qwen3-14b 14768307200
qwen3-30b-a3b 30532122624
qwen3-32b 32762123264
qwen3-8b 8190735360
yi-34b 34388917248
X
ours() { [ "$(ls "$top_srcdir"/etc/models/*.ini | wc -l)" -eq 19 ]; }
t 'and no model is left out here' ours
tap_done
