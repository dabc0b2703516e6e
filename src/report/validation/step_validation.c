/* step_validation.c -- Writes errors of single steps as text and CSV. */
#include <config.h>
#include "report/validation/step_validation.h"
#include <math.h>
#include <stdlib.h>
#include "base/csv.h"
#include "validate/score/errors.h"

static int with_prefill(const struct measured_step *s)
{
	return s->n_prefill > 0;
}
static int small(const struct measured_step *s)
{
	return !s->n_prefill && s->n_decode <= 16;
}
static int medium(const struct measured_step *s)
{
	return !s->n_prefill && s->n_decode > 16 && s->n_decode <= 48;
}
static int large(const struct measured_step *s)
{
	return !s->n_prefill && s->n_decode > 48;
}
static int any(const struct measured_step *s)
{
	(void)s;
	return 1;
}
static const struct {
	const char *name;
	int (*has)(const struct measured_step *s);
} kind[] = {{"all steps", any},
	    {"  1 to 16 decodes", small},
	    {"  17 to 48 decodes", medium},
	    {"  49 decodes and more", large},
	    {"  with prompts", with_prefill}};

static void print_run(const struct step_validation *v, size_t arm, size_t run,
		      double *error, FILE *f)
{
	for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
		size_t n = 0;
		for (size_t i = 0; i < v->file->n; i++) {
			const struct measured_step *s = &v->file->step[i];
			double us = v->us[arm * v->file->n + i];
			if (s->run == run && kind[k].has(s) && !isnan(us))
				error[n++] = us / s->interval_us - 1;
		}
		struct error_summary e = error_summary_of(error, n);
		if (n)
			fprintf(f, "%-24s %7zu %7.1f %7.1f %7.1f %+7.1f\n",
				kind[k].name, n, 100 * e.mean, 100 * e.median,
				100 * e.p90, 100 * e.bias);
	}
}

void step_validation_text(const struct step_validation *v, FILE *f)
{
	double *error = calloc(v->file->n + 1, sizeof *error);
	fputs("errors of predicted step times against measured intervals, "
	      "percent\n",
	      f);
	for (size_t k = 0; error && k < v->n_arms; k++)
		for (size_t i = 0; i < v->file->n_runs; i++) {
			const char *why = v->why[k * v->file->n_runs + i];
			fprintf(f, "\n%s, %s\n", v->arm[k],
				v->file->run[i].name);
			if (why) {
				fprintf(f, "not priced: %s\n", why);
				continue;
			}
			fprintf(f, "%-24s %7s %7s %7s %7s %7s\n", "", "steps",
				"mean", "median", "p90", "bias");
			print_run(v, k, i, error, f);
		}
	free(error);
}

void step_validation_csv(const struct step_validation *v, FILE *f)
{
	fputs("run,arm,n_prefill,prefill_tokens,n_decode,context,interval_us,"
	      "total_us,error_pct\n",
	      f);
	for (size_t i = 0; i < v->file->n; i++)
		for (size_t k = 0; k < v->n_arms; k++) {
			const struct measured_step *s = &v->file->step[i];
			double us = v->us[k * v->file->n + i];
			csv_text(f, v->file->run[s->run].name);
			putc(',', f);
			csv_text(f, v->arm[k]);
			fprintf(f, ",%u,%u,%u,", s->n_prefill,
				s->prefill_tokens, s->n_decode);
			csv_number(f, s->context);
			putc(',', f);
			csv_number(f, s->interval_us);
			putc(',', f);
			csv_number(f, us);
			putc(',', f);
			csv_number(f, 100 * (us / s->interval_us - 1));
			putc('\n', f);
		}
}
