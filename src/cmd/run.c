/* run.c -- The command `run`: simulates the workload under one arm. */
#include "cmd/study.h"
#include "study/study.h"

static int run(const struct cmdline *line)
{
	const struct study_options *o = line->own;
	return o->watch || o->make ? cmd_watch(line, 1) : cmd_study(line, 1);
}

const struct command command_run = {
    .name = "run",
    .args = "CONFIG",
    .summary = "simulate the workload under one arm: the first of --arms, "
	       "else [cost_model], else the first in the file",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV | WRITES_REPORT |
	       WRITES_VLLM | WRITES_PROMETHEUS,
    .min_args = 1,
    .max_args = 1,
    .has_short = 1,
    .option = study_option,
    .n_options = N_RUN_OPTIONS,
    .defaults = &study_defaults,
    .own_size = sizeof(struct study_options),
    .run = run,
};
