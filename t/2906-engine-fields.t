#!/bin/sh
# Each field of struct engine is copied from a key by a row of engine/keys/rows.c, or
# is a line of engine/equal_schedules.c: no field is left out where engines are compared.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
fields() { # HEADER STRUCT
	tr '\n' ' ' <"$1" | sed -E 's|/\*[^*]*\*+([^/*][^*]*\*+)*/||g' |
		sed -nE "s/.*struct $2 \{([^}]*)\};.*/\1/p" | tr ';,' '\n\n' |
		sed -E 's/\[[^]]*\]//; s/ +$//; s/.*[ *]//' | grep .
}
all_fields() { # HEADER
	fields "$1" engine | grep -vx -e sglang -e trtllm -e lora -e offload -e encoders
	for of in sglang trtllm lora offload encoders; do fields "$1" "${of}_rules" | sed "s/^/$of./"; done
}
lacking() { # HEADER: those that no row and no line has
	all_fields "$1" | while read -r field; do
		grep -qE "(COPIED|PART)\($field[,)]|PART_OF\(\"[a-z_]*\", $field," src/engine/keys/rows* src/engine/equal_schedules.c || echo "$field"
	done
}
none() { bad=$("$@"); [ -z "$bad" ] || { echo "$bad"; return 1; }; }
t 'there are fields' test "$(all_fields src/engine/engine.h | wc -l)" -ge 60
t 'each has a row, or a line' none lacking src/engine/engine.h
sed 's/^	uint32_t ranks, lockstep_ranks;/	uint32_t ranks, planted, lockstep_ranks;/' src/engine/engine.h >"$tap_tmp/engine.h"
t 'one that has neither is found' test "$(lacking "$tap_tmp/engine.h")" = planted
sed 's/^	uint32_t has_chunks;/	uint32_t has_chunks, planted;/' src/engine/engine.h >"$tap_tmp/engine.h"
t 'also in the rules of one scheduler' test "$(lacking "$tap_tmp/engine.h")" = trtllm.planted
# Keys that an arm reads have no other test in t/sim/engine_keys.
read_by_arm() {
	for key in $(sed -n 's/^    {"\([a-z_]*\)", ENGINE_ANY},/\1/p' t/sim/engine_keys.c | grep .); do
		grep -qE "(>|\")$key\b" src/arm/*.c src/engine/draft_model.c || echo "$key"
	done
}
t 'keys that only an arm reads are read there' none read_by_arm
documented() { # the pages name each key
	sed -nE 's/^    (INT|DOUBLE|BOOL|CHOICE|TEXT)\(([a-z_0-9]+),.*/\2/p' src/engine/keys/rows* | grep . | while read -r key; do
		grep -qrw "$key" doc README.md || echo "$key"
	done
}
t 'every key is in a page' none documented
tap_done
