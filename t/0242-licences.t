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
nameless() { # a folder with data whose MANIFEST does not say whose it is
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
rows() {
	for folder in $measured; do
		find "$folder" -name '*.csv' | sort | while read -r file; do
			licence=$(licence_of "$folder" "${file#"$folder"/}")
			case $licence in
			Apache-2.0) copyright_has Apache-2.0 ;;
			'MLCommons terms: '*) copyright_has MLCommons-terms ;;
			'none stated: figures, cited') copyright_has figures-cited ;;
			*) echo "$file: licence '$licence'" ;;
			esac
		done
	done
}
t 'every file of measured runs has one licence' none rows
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
tap_done
