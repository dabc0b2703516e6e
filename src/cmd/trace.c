/* trace.c -- The command `trace info`: figures about a request trace. */
#include <stddef.h>
#include <stdlib.h>
#include "arm/assignment.h"
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "keys/datafile.h"
#include "keys/keys.h"
#include "report/trace.h"
#include "workload/keys.h"
#include "workload/trace/named_trace.h"
#include "workload/trace/trace_reader.h"

struct options {
	int quantiles; /* index into lengths_of, from 1; 0: none */
};
static const char *const lengths_of[] = {"input", "output", NULL};

/* Reads keys of [workload] about the form of a trace, from --set. */
static int keys(struct workload_keys *k, struct ini *set,
		const struct cmdline *c, struct problem *p)
{
	if (ini_read(set, "", 0, p) < 0)
		return -1;
	for (size_t i = 0; i < c->set.n; i++)
		if (assignment_apply(set, c->set.item[i], p) < 0)
			return -1;
	for (size_t i = 0; i < set->n; i++)
		if (!workload_has_key(set->item[i].section, set->item[i].key))
			return problem_set(p, EXIT_USAGE,
					   "--set %s.%s: trace info takes keys "
					   "of [workload]",
					   set->item[i].section,
					   set->item[i].key);
	return knobs_fill(k, workload_keys, n_workload_keys, NULL, set,
			  "workload", "", p);
}

static int write_output(const struct cmdline *c, const struct trace_summary *s,
			const struct trace *t, struct problem *p)
{
	const struct options *option = c->own;
	struct outfile o;
	if (open_output(&o, c, p) < 0)
		return -1;
	if (option->quantiles)
		trace_quantiles(option->quantiles == 1 ? &s->input : &s->output,
				o.f);
	else
		trace_report(t, s, c->format, o.f);
	return outfile_commit(&o, p);
}

/* Prints remarks that the figures do not show. */
static void say_notes(const struct cmdline *c, const struct trace_summary *s,
		      const struct trace *t)
{
	const char *path = trace_path(t), *text = trace_note(t);
	if (s->failed)
		print_note(c, "%s: %llu failed requests (0 tokens) dropped",
			   path, (unsigned long long)s->failed);
	if (s->inversion)
		print_note(
		    c,
		    "%s:%llu: earlier than the row before; rows are sorted by "
		    "time",
		    path, (unsigned long long)s->inversion);
	if (s->requests >= 4 && trace_summary_gap_cv(s) == 0 &&
	    !trace_is_absolute(t))
		print_note(
		    c,
		    "%s: its requests are exactly evenly spaced; measured "
		    "requests are not",
		    path);
	if (text)
		print_note(c, "%s: %s", path, text);
}

/* The command `trace info`. */
static int info(const struct cmdline *c, struct ini *set, struct problem *p)
{
	struct workload_keys k;
	struct trace_summary summary;
	if (keys(&k, set, c, p) < 0)
		return -1;
	struct distribution input = {0}, output = {0};
	char *path = datafile_shipped(c->arg[0]);
	struct trace *t =
	    path ? named_trace_open(&k, path, set, &input, &output, p) : NULL;
	int rc =
	    t ? trace_summary_take(&summary, t, (uint64_t)k.num_requests, p)
	      : -1;
	if (!path)
		problem_no_memory(p);
	free(path);
	if (rc == 0)
		rc = write_output(c, &summary, t, p);
	if (rc == 0)
		say_notes(c, &summary, t);
	if (t)
		trace_summary_free(&summary);
	trace_free(t);
	distribution_free(&input), distribution_free(&output);
	return rc;
}

static int run(const struct cmdline *c)
{
	struct problem p = {0};
	struct ini set = {0};
	int rc = info(c, &set, &p);
	ini_free(&set);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

static const struct option_def option[] = {
    OPTION(CHOICE, "quantiles", "LENGTHS", quantiles,
	   "print the quantiles of input or output lengths, as CSV for "
	   "input_tokens = empirical:FILE",
	   .choices = lengths_of),
};

const struct command command_trace_info = {
    .name = "trace info",
    .args = "FILE",
    .summary = "print the statistics of a request trace (--set "
	       "workload.format=… says how to read it)",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_no_arms = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
