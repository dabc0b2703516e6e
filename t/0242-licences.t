#!/bin/sh
# Every set of data names its source and its licence, and the package's
# copyright file has them all.
. "${top_srcdir:-.}/t/lib/tap.sh"
cd "$top_srcdir" || exit 1
measured='bench_data/serving bench_data/accuracy' # with a licence a file
none() { "$@" >"$tap_tmp/found"; cat "$tap_tmp/found"; [ ! -s "$tap_tmp/found" ]; }
copyright_has() { # LICENCE
	grep -qx "License: $1" debian/copyright || echo "$1 is not in debian/copyright"
}
nameless() { # a folder with data and a MANIFEST without source or licence
	for folder in bench_data/*/ etc/workloads/; do
		case " $measured " in *" ${folder%/} "*) continue ;; esac
		for key in source licence; do
			grep -q "^$key = ." "$folder/MANIFEST" || echo "$folder: no $key"
		done
	done
}
t 'every set of tables names source and licence' none nameless
unknown() {
	sed -n 's/^licence = //p' bench_data/*/MANIFEST etc/workloads/MANIFEST | sort -u |
		while read -r licence; do copyright_has "$licence"; done
}
t 'and they are those of the package' none unknown
licence_of() { # FOLDER FILE: the last cell of the row that names it
	awk -F'|' -v file="$2" '$2 ~ /`/ { gsub(/[ `]/, "", $2); pattern = $2; gsub(/[.]/, "[.]", pattern); gsub(/[*]/, "[^/]*", pattern)
		if (file ~ "^" pattern "$") { gsub(/^ +| +$/, "", $6); print $6 } }' "$1/MANIFEST.md"
}
short() { # LICENCE, as debian/copyright calls it
	case $1 in
	'MLCommons terms: '*) echo MLCommons-terms ;;
	'none stated: figures, cited') echo figures-cited ;;
	*) echo "$1" ;;
	esac
}
files_of() { find "$1" -type f ! -name 'MANIFEST*' | sort; }
claims() { # FILE and the licence that its MANIFEST tells, a line each
	for folder in $measured; do
		files_of "$folder" | while read -r file; do
			echo "$file $(short "$(licence_of "$folder" "${file#"$folder"/}")")"
		done
	done
	for folder in bench_data/*/ etc/workloads/; do
		[ -e "$folder/MANIFEST" ] || continue
		licence=$(sed -n 's/^licence = //p' "$folder/MANIFEST")
		files_of "${folder%/}" | sed "s|$| $licence|"
	done
}
# The last paragraph of debian/copyright that names a file is its own.
differing() {
	claims >"$tap_tmp/claims"
	[ "$(wc -l <"$tap_tmp/claims")" -ge 300 ] || echo 'few files are claimed'
	awk 'NR == FNR && /^Files:/ { on = 1; first = n + 1 }
		NR == FNR && /^[A-Z][a-z]*:/ && !/^Files:/ { on = 0 }
		NR == FNR && on { sub(/^Files:/, ""); gsub(/ /, ""); gsub(/[.]/, "[.]"); gsub(/[*]/, ".*"); pattern[++n] = "^" $0 "$" }
		NR == FNR && /^License:/ && first { for (i = first; i <= n; i++) licence[i] = $2; first = 0 }
		NR == FNR { next }
		{ is = ""; for (i = 1; i <= n; i++) if ($1 ~ pattern[i]) is = licence[i]
		  if (is != $2) print $1 ": " $2 " by its MANIFEST, " is " in debian/copyright" }' \
		debian/copyright "$tap_tmp/claims"
}
t 'every file of data has the licence in debian/copyright that its MANIFEST tells' none differing
unclaimed() { # a set that debian/copyright leaves to the project itself
	folders=$(ls -d bench_data/*/ | grep -v serving)
	set -f # patterns stay patterns
	sets=$(sed -n 's|^\(Files:\)\{0,1\} \(bench_data/.*\)$|\2|p' debian/copyright)
	for folder in $folders; do
		for pattern in $sets; do
			# shellcheck disable=SC2254 # a pattern
			case ${folder}MANIFEST in $pattern) continue 2 ;; esac
		done
		echo "$folder"
	done
}
t 'debian/copyright names every set' none unclaimed
anonymous() { # a plugin without an id, a licence or a citation
	for file in $(grep -lE '^SC_(PLUGIN_DEFINE|EXEC_PLUGIN)' plugins/*/*.c plugins/field/*/*.c); do
		for field in id licence citation; do
			grep -q "\.$field = " "$file" || echo "$file: no $field"
		done
	done
	grep -ohE '\.id = "[^"]*"' plugins/*/*.c plugins/field/*/*.c | sort | uniq -d
}
t 'every cost model has an id of its own, a licence and a citation' none anonymous
tap_done
