words='NNNN=1698 NAME=probe'
wants='probed
usage: stepcost probe'
plant() {
	cat >src/cmd/probe.c <<'X'
/* probe.c -- `probe`: prints a word. */
#include "base/file/outfile.h"
#include "cmd/cmd.h"

static int run(const struct cmdline *c)
{
	struct problem p = {0};
	struct outfile o;
	if (open_output(&o, c, &p) < 0)
		return print_error(&p);
	fputs("probed\n", o.f);
	return outfile_commit(&o, &p) < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_probe = {
    .name = "probe", .args = "", .summary = "prints a word", .run = run};
X
	cat >t/1698-probe.t <<'X'
#!/bin/sh
# probe: prints a word.
. "${top_srcdir:-.}/t/lib/tap.sh"
t 'a word' sh -c "$top_builddir/stepcost probe | grep -qx probed"
tap_done
X
	chmod +x t/1698-probe.t
	behind t/0006-tests.t 'cmd/pricing' 'cmd/probe'
	before src/cmd/list.inc 'COMMAND(run)' 'COMMAND(probe)'
	before doc/commands.md '| `run CONFIG`' '| `probe` | prints a word |'
}
