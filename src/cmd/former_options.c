/* former_options.c -- Lists options and commands that are gone, or that users
 * of other programs expect, with what takes their place. */
#include "cmd/former_options.h"
#include <string.h>

struct former {
	const char *command, *name;
	const char *instead; /* a sentence */
};
static const struct former former[] = {
    {"capacity", "max-rejected",
     "0.1 % of the requests may be rejected; goodput=SHARE of --slo bounds the "
     "share that is served in time"},
    {"capacity", "alike",
     "arms are alike within 3 %; the result has the interval of their ratio"},
    {"capacity", "until-told",
     "--precision makes intervals narrower, so that arms can be told apart"},
    {"import vllm", "seconds",
     "--since EARLIER counts the requests between two pages that curl saved"},
    {"recommend", "agree",
     "winners that lose at most 5 % agree; the result has the loss of each "
     "choice under each arm"},
    {"recommend", "store",
     "a race takes seconds, so its simulations are run again; --output keeps "
     "the answer"},
    {"recommend", "shard", "--arms races some arms, each on its own host"},
    {"recommend", "shards", "--arms races some arms, each on its own host"},
    {"recommend", "slurm", "srun stepcost recommend runs it on a node"},
    {"recommend", "slurm-options", "srun stepcost recommend runs it on a node"},
    {"recommend", "slurm-dry-run", "srun stepcost recommend runs it on a node"},
    {"recommend", "exhaustive",
     "sweep --capacity searches every configuration of a list"},
    {"recommend", "verify",
     "sweep --capacity searches every configuration of a list"},
    {"serve", "port", "--listen HOST:PORT has it, as in localhost:8000"},
    {"oracle", "port", "--listen HOST:PORT has it, as in localhost:8000"},
    {"validate", "measured-steps",
     "score CONFIG --steps FILE scores cost models on measured steps"},
    {"sweep", "sample",
     "--points FILE.csv takes a list of points, such as a Latin hypercube"},
    {"sweep", "sample-seed",
     "--points FILE.csv takes a list of points, such as a Latin hypercube"},
    {"sweep", "strict-points",
     "sweep show FILE.db --where 'status != \"ok\"' lists points that are not "
     "possible"},
    {"sweep plot", "front-x",
     "sweep pareto FILE.db --x COLUMN --y COLUMN lists the front of others"},
    {"sweep plot", "front-y",
     "sweep pareto FILE.db --x COLUMN --y COLUMN lists the front of others"},
    {"sweep plot", "axes",
     "the heat map has the first two axes that vary; --where keeps others "
     "fixed"},
};

/* The same of commands. */
static const struct former former_commands[] = {
    {"calibrate", "",
     "fit CONFIG --measured FILE --knobs A,B does its work, and fit CONFIG "
     "--steps FILE fits to measured steps"},
    {"models", "", "stepcost help models lists those that are shipped"},
    {"gpus", "", "stepcost help gpus lists those that are shipped"},
    {"hardware", "", "stepcost help gpus lists the GPUs that are shipped"},
};

const char *former_command(const char *name)
{
	size_t n = sizeof former_commands / sizeof *former_commands;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(former_commands[i].command, name))
			return former_commands[i].instead;
	return NULL;
}

const char *former_option(const char *command, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof former / sizeof *former; i++) {
		const struct former *o = &former[i];
		if (!strcmp(o->command, command) &&
		    !strncmp(o->name, name, n) && !o->name[n])
			return o->instead;
	}
	return NULL;
}
