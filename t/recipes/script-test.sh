words='NNNN=1699 NAME=probe'
wants='PASS'
plant() {
	cat >t/1699-probe.t <<'X'
#!/bin/sh
# The program says its version.
. "${top_srcdir:-.}/t/lib/tap.sh"
t 'a version' sh -c "$top_builddir/stepcost --version | grep -q stepcost"
tap_done
X
	chmod +x t/1699-probe.t
}
