#!/bin/sh
# plugins new: in each language, and like each shipped plugin; make, make check
# and a comparison work at once, and an override prices as its original until it
# is changed.
. "${top_srcdir:-.}/t/lib/tap.sh"
PATH=$top_builddir:$PATH PKG_CONFIG_PATH=$top_builddir
export PATH PKG_CONFIG_PATH
cd "$tap_tmp" || exit 1
have() { command -v "$1" >/dev/null 2>&1; }
refused() { # WANT COMMAND...
	want=$1; shift; "$@" >out 2>&1; got=$?
	cat out; [ $got -eq 2 ] && grep -qF -- "$want" out
}
in_() { (cd "$1" && shift && "$@"); }
duration() { stepcost compare "$1/$1.ini" --format csv 2>/dev/null | grep '^duration'; }
ratio_is_1() {
	stepcost compare "$1/$1.ini" --format csv 2>/dev/null | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "duration") c = i; next }
	!NF { exit }
	c { n++; bad += n > 1 && $c != was; was = $c }
	END { exit bad || n != 2 }'
}

have pkg-config || { echo '1..0 # SKIP no pkg-config'; exit 0; }
try() { # NAME COMPILER OPTIONS...
	name=$1 needs=$2; shift 2
	if ! have "$needs"; then skip "$name" "no $needs"; return; fi
	t "new $name $*" stepcost plugins new "$name" "$@"
	t "$name: make" in_ "$name" make
	t "$name: make, without a warning" sh -c "cd $name && rm -f $name.so && ! make 2>&1 | grep -i warning"
	t "$name: make check" in_ "$name" make check
	t "$name: compare" in_ "$name" stepcost compare "$name.ini"
}
try in_c cc --lang c
try in_cpp g++ --lang c++
try in_rust rustc --lang rust
panics() { # an index out of range
	sed -i 's/    out.overhead_us = k.base_us;/    out.overhead_us = k.base_us + f64::from(new[new.len()]);/' in_rust.rs && make && cp steps.csv one.csv &&
		stepcost eval in_rust.ini --arms in_rust --steps one.csv >out 2>err; got=$?
	cat err; [ $got -eq 4 ] && grep -qE 'index out of bounds: the len is ([0-9]+) but the index is \1' err && grep -q 'in_rust.rs:[0-9]' err
}
beside() { # and the other arms go on
	stepcost compare in_rust.ini >out 2>err; got=$?; cat out; [ $got -eq 4 ] && grep -q '^roofline_v2 predicts' out
}
if have rustc; then t 'a panic is an error of its arm' in_ in_rust panics; t 'and of no other' in_ in_rust beside
	(cd in_rust && sed -i 's/ + f64::from(new\[new.len()\])//' in_rust.rs && make >/dev/null 2>&1); fi
have python3 && try in_python cc --lang python
t 'the minimal one is under 60 lines' [ "$(wc -l <in_c/in_c.c)" -lt 60 ]
t 'an answer that changes fails make check' \
	sh -c 'cd in_c && sed -i "s/\"25\"/\"26\"/" in_c.c && make && ! make check'
t 'until it is what is expected' \
	sh -c 'cd in_c && rm expected.csv && make expected.csv && make check'
t 'a knob of the program from the INI' sh -c \
	'cd in_python && echo "base_us = 1e5" >>in_python.ini && stepcost eval in_python.ini --arms in_python --steps steps.csv | grep -q ",in_python,10[0-9]*\.[0-9]*,"'

for f in "$top_srcdir"/plugins/*/; do
	like=$(basename "$f")
	[ -e "$f$like.c" ] || continue # a folder of several models
	case $like in exec) have python3 || continue ;; esac
	name=like_$like
	t "new $name" stepcost plugins new "$name" --like "$like"
	t "$name: make" in_ "$name" make
	t "$name prices as $like" ratio_is_1 "$name"
done
# An override is one screen, says so in its page, and is what prices.
t 'an override is under 60 lines' [ "$(wc -l <like_operators/like_operators.c)" -lt 60 ]
t 'the original lies beside it, as it is' cmp "$top_srcdir/plugins/operators/step/step.c" like_operators/operators/step/step.c
t 'an original with hooks gives a hook' sh -c 'grep -q "my_decode_attention" like_roofline_v2/like_roofline_v2.c &&
	! grep -q my_eval like_roofline_v2/like_roofline_v2.c'
slower() {
	sed -i 's/times = 1;/times = 2;/' like_roofline_v2.c && make 2>&1 | grep -iE 'warning|error' && return 1
	stepcost eval like_roofline_v2.ini --steps steps.csv | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "decode_attention_us") c = i; next }
	$2 == "roofline_v2" { was = $c } $2 == "like_roofline_v2" && $c != "" { n++; bad += ($c / was - 2) ^ 2 > 1e-24 }
	END { exit bad || !n }'
}
t 'and the hook is what is priced' in_ like_roofline_v2 slower
t 'its page names the original' grep -q 'roofline_v1/roofline_v1.md' like_roofline_v1/like_roofline_v1.md
t 'make check checks it' in_ like_roofline_v1 make check
more() { # steps one by one, and many of them at once
	sed -i 's/more_us = 0;/more_us = 100;/' like_roofline_v1.c && make 2>&1 | grep -iE 'warning|error' && return 1
	stepcost eval like_roofline_v1.ini --steps steps.csv | awk -F, '$2 == "roofline_v1" { was = $3 } $2 == "like_roofline_v1" { n++; if ($3 - was != 100) bad = 1 } END { exit bad || n != 6 }'
}
t 'what it changes is what is priced' in_ like_roofline_v1 more
# A row of a GPU family, and a row of its GPU: knobs and preset follow, and it prices.
row='F(TESTED, _tested, "a GPU of a test", "0.5", "0.5", "10", "0.5", "0.5", "0.5", "0.5", "0.5", "a test") \\'
gpu='G(TEST_GPU, "test-gpu", "test-gpu", TESTED, 989.5e12, 3.35e12, 450e9, 1, "a test") \\'
family() {
	sed -i "s|^\tF(HOPPER.*0\.774365.*|&\n\t$row|; s|^\tG(H100, .*|&\n\t$gpu|" smooth_roofline/policy.h
	make 2>&1 | grep -iE 'warning|error' && return 1
	STEPCOST_PLUGIN_PATH=. stepcost plugins describe like_smooth_roofline >described 2>&1
	grep -q '^ *ew_tested .*0\.5' described && grep -q '^ *edt_us_tested ' described && grep -q 'test-gpu' described || { cat described; return 1; }
	eval_us h100 >before; eval_us test-gpu >after; eval_us h100 ew=0.5 ekv=0.5 edt_us=10 ec=0.5 ep=0.5 arw=0.5 arb=0.5 emc=0.5 >same
	cat before after; ! cmp -s before after && cmp after same
}
eval_us() { # GPU KNOB=VALUE...
	sets= family=$1; shift
	for knob in family="$family" "$@"; do sets="$sets --set cost_model:like_smooth_roofline.$knob"; done
	# shellcheck disable=SC2086 # a list without spaces in its words
	stepcost eval like_smooth_roofline.ini --arms like_smooth_roofline --steps steps.csv $sets | cut -d, -f1,3
}
t 'a GPU family of smooth_roofline is a row' in_ like_smooth_roofline family
t 'a copy declares what its original does, under its name' \
	sh -c "cd like_roofline_v2 && stepcost plugins check like_roofline_v2.so | grep -q '^# like_roofline_v2 2: '"

installed() { # NAME: in a folder that a packager names, and in the user's own
	export XDG_DATA_HOME="$tap_tmp/own"
	in_ "$1" make install DESTDIR="$tap_tmp/dest" PLUGINDIR=/usr/lib/stepcost &&
		in_ "$1" make install-user && in_ "$1" make install DESTDIR="$tap_tmp/other" &&
		[ -s "dest/usr/lib/stepcost/$1/$1.so" ] && [ -s "own/stepcost/plugins/$1/$1.so" ] &&
		[ -s "other$(pkg-config --variable=plugindir stepcost)/$1/$1.so" ] &&
		(cd / && stepcost plugins describe "$1" 2>&1 | grep "^$1 ")
}
# The build tree is read, never written.
plugindir=$(pkg-config --variable=plugindir stepcost)
before=$(ls "$plugindir")
for name in in_c in_cpp in_rust in_python; do
	[ -d $name ] && t "$name: make install, make install-user" installed $name
done
t 'make install with DESTDIR leaves the folder of the plugins alone' [ "$before" = "$(ls "$plugindir")" ]

t 'a folder that is there' refused 'in_c is there already' stepcost plugins new in_c
t 'the name of a plugin that is installed' refused 'choose another name, and --like roofline_v1' stepcost plugins new roofline_v1
t 'a bad name' refused "letters a-z, digits and _" stepcost plugins new In-C
t 'nothing to be like' refused "no 'nope'" stepcost plugins new x --like nope
t 'a language that is none' refused 'c|c++|rust|python' stepcost plugins new x --lang cobol
t 'like, in another language' refused 'is written in C' stepcost plugins new x --like roofline_v1 --lang rust
t 'nothing is left of what did not work' [ "$(ls -d x* 2>/dev/null)" = '' ]
sed -i 's|\./in_c\.so|./absent.so|' in_c/in_c.ini
t 'a file that is not there is no other plugin' refused 'in_c.ini:22: plugin = ./absent.so: no such file' stepcost compare in_c/in_c.ini
tap_done
