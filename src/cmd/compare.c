/* compare.c -- The command `compare`: the same requests through every arm, side
 * by side. */
#include "cmd/study.h"
#include "study/study.h"

static int run(const struct cmdline *line)
{
	const struct study_options *o = line->own;
	return o->watch || o->make ? cmd_watch(line, 0) : cmd_study(line, 0);
}

const struct command command_compare = {
    .name = "compare",
    .args = "CONFIG",
    .summary = "run the same requests through every arm, side by side; "
	       "differences are to the first arm",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_short = 1,
    .option = study_option,
    .n_options = N_STUDY_OPTIONS,
    .defaults = &study_defaults,
    .own_size = sizeof(struct study_options),
    .run = run,
};
