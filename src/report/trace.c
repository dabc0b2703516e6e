/* trace.c -- Writes figures about a trace. */
#include "report/trace.h"
#include <math.h>
#include "base/json/json_writer.h"
#include "base/number.h"
#include "workload/trace/trace_reader.h"

struct figure {
	char name[32];
	double value; /* NaN: the trace does not have it */
};
enum { MAX_FIGURES = 40 };
struct figures {
	const struct trace *trace;
	struct figure figure[MAX_FIGURES];
	int n;
};

static void add(struct figures *r, const char *prefix, const char *name,
		double value)
{
	struct figure *f = &r->figure[r->n++];
	snprintf(f->name, sizeof f->name, "%s%s", prefix, name);
	f->value = value;
}

static void add_lengths(struct figures *r, const char *prefix,
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

/* Lists the figures of a trace; NaN: the trace does not have it. */
static void collect(struct figures *r, const struct trace_summary *c,
		    const struct trace *t)
{
	double ids = (double)c->hash_ids;
	int has_times = trace_has_times(t);
	r->trace = t;
	add(r, "", "requests", (double)c->requests);
	add(r, "", "failed", (double)c->failed);
	add(r, "", "cancelled", c->cancelled ? (double)c->cancelled : NAN);
	add(r, "", "span_s", has_times ? (double)c->span_ns / 1e9 : NAN);
	add(r, "", "rate_per_s", trace_summary_rate(c));
	add(r, "", "gap_cv", trace_summary_gap_cv(c));
	add(r, "", "gap_max_s",
	    has_times && c->timed > 1 ? (double)c->gap_max_ns / 1e9 : NAN);
	add(r, "", "zero_gaps", has_times ? (double)c->zero_gaps : NAN);
	add_lengths(r, "input_tokens_", &c->input);
	add_lengths(r, "output_tokens_", &c->output);
	add(r, "", "sessions", c->sessions.n ? (double)c->sessions.n : NAN);
	add(r, "", "hash_block_tokens",
	    ids > 0 && trace_block_tokens(t) ? (double)trace_block_tokens(t)
					     : (double)NAN);
	add(r, "", "hash_ids", ids > 0 ? ids : NAN);
	add(r, "", "distinct_hash_ids", ids > 0 ? (double)c->blocks.n : NAN);
	add(r, "", "ideal_block_reuse_percent",
	    ids > 0 ? 100 * (double)c->hash_hits / ids : NAN);
}

static int has_columns(const struct trace *t)
{
	return trace_columns_given(&trace_options(t)->columns);
}

static const char *columns_of(const struct trace *t,
			      char buf[TRACE_COLUMNS_TEXT])
{
	return trace_columns_write(&trace_options(t)->columns, buf);
}

static void print_text(FILE *f, const struct figures *r)
{
	char s[NUMBER_SIZE];
	char columns[TRACE_COLUMNS_TEXT];
	fprintf(f, "%-26s %s\n%-26s %s\n", "trace", trace_path(r->trace),
		"format", trace_format_name(r->trace));
	if (has_columns(r->trace))
		fprintf(f, "%-26s %s\n", "columns",
			columns_of(r->trace, columns));
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

static void print_json(FILE *f, const struct figures *r)
{
	char columns[TRACE_COLUMNS_TEXT];
	struct jw j = jw_document(f);
	jw_text(&j, "trace", trace_path(r->trace));
	jw_text(&j, "format", trace_format_name(r->trace));
	jw_text(&j, "columns",
		has_columns(r->trace) ? columns_of(r->trace, columns) : NULL);
	for (int i = 0; i < r->n; i++)
		jw_number(&j, r->figure[i].name, r->figure[i].value);
	jw_text(&j, "note", trace_note(r->trace));
	jw_finish(&j);
}

static void print_csv(FILE *f, const struct figures *r)
{
	char s[NUMBER_SIZE];
	fprintf(f, "figure,value\nformat,%s\n", trace_format_name(r->trace));
	for (int i = 0; i < r->n; i++) {
		number_format(s, r->figure[i].value);
		fprintf(f, "%s,%s\n", r->figure[i].name,
			isnan(r->figure[i].value) ? "" : s);
	}
}

void trace_quantiles(const struct counts *t, FILE *f)
{
	/* In 1/10000.  The tails have finer steps, because lengths there are
	 * far apart. */
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

void trace_report(const struct trace *t, const struct trace_summary *s,
		  int format, FILE *f)
{
	struct figures figures = {0};
	collect(&figures, s, t);
	if (format == FORMAT_JSON)
		print_json(f, &figures);
	else if (format == FORMAT_CSV)
		print_csv(f, &figures);
	else
		print_text(f, &figures);
}
