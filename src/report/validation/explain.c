/* explain.c -- Writes how a measured row is simulated, and why. */
#include "report/validation/explain.h"
#include <inttypes.h>
#include <string.h>
#include "validate/measured/protocol_name.h"
#include "validate/measured/rules.h"

static int write_rule(void *ctx, const char *key, const struct ini_item *t)
{
	FILE *f = ctx;
	fprintf(f, "  [%s] %s = %s (%s)\n", t->section, key, t->value, t->at);
	return 0;
}

static void write_launch(const struct measured_row *r,
			 const struct ini *aliases, FILE *f)
{
	static const char *const prose[] = {"source", "note"};
	if (!r->launch) {
		fputs("  no launch is known\n", f);
		return;
	}
	fprintf(f, "  [%s] (%s)\n", r->launch,
		ini_find(aliases, r->launch, "protocol")->at);
	for (size_t i = 0; i < sizeof prose / sizeof *prose; i++) {
		const char *text = ini_get(aliases, r->launch, prose[i]);
		if (text)
			fprintf(f, "  %s: %s\n", prose[i], text);
	}
}

static const struct row_replay *trial_of(const struct row_replays *t,
					 size_t row)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->row_replay[i].n_rows; k++)
			if (t->row_replay[i].row[k] == row)
				return &t->row_replay[i];
	return NULL;
}

static void write_trial(const struct row_replays *t, size_t row, FILE *f)
{
	const struct row_replay *x = trial_of(t, row);
	for (size_t i = 0; !x && i < t->n_left_out; i++)
		if (t->left_out[i].row == row)
			fprintf(f, "not simulated: %s\n", t->left_out[i].why);
	if (!x)
		return;
	fprintf(f, "simulated with %" PRIu64 " requests and\n", x->n);
	for (size_t i = 0; i < x->n_settings; i++)
		fprintf(f, "  --set %s\n", x->setting[i]);
	for (size_t i = 0; i < x->n_knobs; i++)
		fprintf(f, "  of arms that %s: %s\n",
			strncmp(x->knob[i], "engine.", 7) ? "have it"
							  : "price requests",
			x->knob[i]);
}

static void write_row(const struct row_replays *t, const struct measured *m,
		      size_t row, const struct ini *aliases, FILE *f)
{
	const struct measured_row *r = &m->row[row];
	const char *protocol = protocol_name(r, aliases);
	fprintf(f, "%s (%s:%" PRIu64 ")\n", r->id, r->file, r->line);
	fprintf(f, "protocol: %s\n", protocol ? protocol : "none is known");
	if (r->certainty)
		fprintf(f, "facts: %s%s\n", r->certainty,
			r->draft_tokens >= 1 ? "; acceptance assumed" : "");
	fputs("launched by\n", f);
	write_launch(r, aliases, f);
	fputs("rules that hold; if two set the same, the later one counts\n",
	      f);
	rules_each(aliases, r, "", write_rule, f);
	write_trial(t, row, f);
}

size_t explain_rows(const struct row_replays *t, const struct measured *m,
		    const struct ini *aliases, const char *id, FILE *f)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->row[i].id && !strcmp(m->row[i].id, id)) {
			write_row(t, m, i, aliases, f);
			n++;
		}
	return n;
}
