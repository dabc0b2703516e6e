words='NAME=probe'
wants='probed
usage: stepcost probe'
plant() {
	cat >src/cmd/probe.c <<'X'
/* probe.c -- `probe`: prints a word. */
#include <config.h>
#include "base/outfile.h"
#include "cmd/cmd.h"

static int run(const struct cmdline *c)
{
	struct problem p = {0};
	struct outfile o;
	if (open_output(&o, c, &p) < 0)
		return complain(&p);
	fputs("probed\n", o.f);
	return outfile_commit(&o, &p) < 0 ? complain(&p) : EXIT_DONE;
}

const struct command command_probe = {
    .name = "probe", .args = "", .summary = "prints a word", .run = run};
X
	before src/cmd/list.inc 'COMMAND(run)' 'COMMAND(probe)'
	before doc/commands.md '| `run CONFIG`' '| `probe` | prints a word |'
}
