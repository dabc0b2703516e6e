/* trace.c -- trace info: a request trace in figures. */
#include <config.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/json_writer.h"
#include "base/number.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "setup/keys.h"
#include "workload/keys.h"
#include "workload/trace_reader.h"
#include "workload/trace_summary.h"

struct figure {
	char name[32];
	double value; /* NaN: the trace has none                             */
};
enum { MAX_FIGURES = 40 };
struct report {
	const char *path, *format, *note;
	struct figure figure[MAX_FIGURES];
	int n;
};

static void add(struct report *r, const char *prefix, const char *name,
		double value)
{
	struct figure *f = &r->figure[r->n++];
	snprintf(f->name, sizeof f->name, "%s%s", prefix, name);
	f->value = value;
}

static void add_lengths(struct report *r, const char *prefix,
			const struct counts *t)
{
	static const struct {
		const char *name;
		double q;
	} percentile[] = {{"min", 0},  {"p10", 10}, {"p25", 25},
			  {"p50", 50}, {"p75", 75}, {"p90", 90},
			  {"p95", 95}, {"p99", 99}, {"max", 100}};
	add(r, prefix, "total", t->sum);
	add(r, prefix, "mean", counts_mean(t));
	add(r, prefix, "std", counts_std(t));
	for (size_t i = 0; i < sizeof percentile / sizeof *percentile; i++)
		add(r, prefix, percentile[i].name,
		    counts_percentile(t, percentile[i].q));
}

static void collect(struct report *r, const struct trace_summary *c,
		    const struct trace *t)
{
	double ids = (double)c->hash_ids;
	int has_times = trace_has_times(t);
	r->path = trace_path(t);
	r->format = trace_format_name(t);
	r->note = trace_note(t);
	add(r, "", "requests", (double)c->requests);
	add(r, "", "failed", (double)c->failed);
	add(r, "", "span_s", has_times ? (double)c->span_ns / 1e9 : NAN);
	add(r, "", "rate_per_s", trace_summary_rate(c));
	add(r, "", "gap_cv", trace_summary_gap_cv(c));
	add(r, "", "gap_max_s",
	    has_times && c->requests > 1 ? (double)c->gap_max_ns / 1e9 : NAN);
	add(r, "", "zero_gaps", has_times ? (double)c->zero_gaps : NAN);
	add_lengths(r, "input_tokens_", &c->input);
	add_lengths(r, "output_tokens_", &c->output);
	add(r, "", "sessions", c->sessions.n ? (double)c->sessions.n : NAN);
	add(r, "", "hash_block_tokens",
	    ids > 0 ? (double)trace_block_tokens(t) : (double)NAN);
	add(r, "", "hash_ids", ids > 0 ? ids : NAN);
	add(r, "", "distinct_hash_ids", ids > 0 ? (double)c->blocks.n : NAN);
	add(r, "", "ideal_block_reuse_percent",
	    ids > 0 ? 100 * (double)c->hash_hits / ids : NAN);
}

static void print_text(FILE *f, const struct report *r)
{
	char s[NUMBER_SIZE];
	fprintf(f, "%-26s %s\n%-26s %s\n", "trace", r->path, "format",
		r->format);
	for (int i = 0; i < r->n; i++) {
		double v = r->figure[i].value;
		if (isnan(v))
			continue;
		if (v == rint(v))
			number_format(s, v);
		else if (v < 0.01)
			snprintf(s, sizeof s, "%.3g", v);
		else
			snprintf(s, sizeof s, "%.*f", v < 100 ? 4 : 2, v);
		fprintf(f, "%-26s %s\n", r->figure[i].name, s);
	}
}

static void print_json(FILE *f, const struct report *r)
{
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	jw_text(&j, "trace", r->path);
	jw_text(&j, "format", r->format);
	for (int i = 0; i < r->n; i++)
		jw_number(&j, r->figure[i].name, r->figure[i].value);
	jw_text(&j, "note", r->note);
	jw_end(&j);
	jw_finish(&j);
}

static void print_csv(FILE *f, const struct report *r)
{
	char s[NUMBER_SIZE];
	fprintf(f, "figure,value\nformat,%s\n", r->format);
	for (int i = 0; i < r->n; i++) {
		number_format(s, r->figure[i].value);
		fprintf(f, "%s,%s\n", r->figure[i].name,
			isnan(r->figure[i].value) ? "" : s);
	}
}

struct options {
	int quantiles; /* of what: index into lengths_of, from 1             */
};
static const char *const lengths_of[] = {"input", "output", NULL};

/* What [workload] input_tokens = empirical:FILE reads. */
static void print_quantiles(FILE *f, const struct counts *t)
{
	/* In 1/10000; the tails, where lengths are far apart, more finely. */
	static const int tail[] = {0, 1, 2, 5, 10, 20};
	enum { N_TAIL = sizeof tail / sizeof *tail, N = 199 + 2 * N_TAIL };
	char q[NUMBER_SIZE], tokens[NUMBER_SIZE];
	fputs("quantile,tokens\n", f);
	for (int i = 0; i < N; i++) {
		int at = i < N_TAIL       ? tail[i]
			 : i < N - N_TAIL ? 50 * (i - N_TAIL + 1)
					  : 10000 - tail[N - 1 - i];
		number_format(q, at / 10000.);
		number_format(
		    tokens, rint(100 * counts_percentile(t, at / 100.)) / 100);
		fprintf(f, "%s,%s\n", q, tokens);
	}
}

static int write_report(const struct cmdline *c, const struct report *r,
			const struct trace_summary *census, struct problem *p)
{
	const struct options *option = c->own;
	struct outfile o;
	if (outfile_open(&o, c->output, p) < 0)
		return -1;
	if (option->quantiles)
		print_quantiles(o.f, option->quantiles == 1 ? &census->input
							    : &census->output);
	else if (c->format == FORMAT_JSON)
		print_json(o.f, r);
	else if (c->format == FORMAT_CSV)
		print_csv(o.f, r);
	else
		print_text(o.f, r);
	return outfile_commit(&o, p);
}

/* The keys of [workload] that say how to read a trace, from --set. */
static int keys(struct workload_keys *k, struct ini *set,
		const struct cmdline *c, struct problem *p)
{
	if (ini_read(set, "", 0, p) < 0)
		return -1;
	for (size_t i = 0; i < c->set.n; i++)
		if (ini_override(set, c->set.item[i], p) < 0)
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

static int show(const struct cmdline *c, const struct trace_summary *census,
		const struct trace *t, struct problem *p)
{
	struct report report = {0};
	collect(&report, census, t);
	if (write_report(c, &report, census, p) < 0)
		return -1;
	if (census->failed)
		note(c, "%s: %llu failed requests (0 tokens) dropped",
		     report.path, (unsigned long long)census->failed);
	if (census->inversion)
		note(c,
		     "%s:%llu: is earlier than the row before: sorted by "
		     "time",
		     report.path, (unsigned long long)census->inversion);
	if (census->requests >= 4 && trace_summary_gap_cv(census) == 0 &&
	    !trace_is_absolute(t))
		note(c,
		     "%s: its requests are exactly evenly spaced, which "
		     "measured ones are not",
		     report.path);
	if (report.note)
		note(c, "%s: %s", report.path, report.note);
	return 0;
}

static int info(const struct cmdline *c, struct ini *set, struct problem *p)
{
	struct workload_keys k;
	struct trace_summary census;
	if (keys(&k, set, c, p) < 0)
		return -1;
	struct distribution input = {0}, output = {0};
	struct trace *t =
	    workload_trace(&k, c->arg[0], set, &input, &output, p);
	int rc = t ? trace_summary_take(&census, t, (uint64_t)k.num_requests, p)
		   : -1;
	if (rc == 0)
		rc = show(c, &census, t, p);
	if (t)
		trace_summary_free(&census);
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
	return rc < 0 ? complain(&p) : EXIT_DONE;
}

static const struct option_def option[] = {
    {.name = "quantiles",
     .arg = "LENGTHS",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct options, quantiles),
     .choices = lengths_of,
     .help = "the quantiles of input or output lengths instead, as CSV for "
	     "input_tokens = empirical:FILE"},
};

const struct command command_trace_info = {
    .name = "trace info",
    .args = "FILE",
    .summary = "a request trace in figures (--set workload.format=… for how "
	       "to read it)",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = run,
};
