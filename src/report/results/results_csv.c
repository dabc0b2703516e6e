/* results_csv.c -- Writes results as CSV. */
#include <math.h>
#include "base/csv.h"
#include "base/number.h"
#include "record/metrics.h"
#include "report/results/results.h"

/* Writes the acceptance rates of all draft positions into one cell:
 * "0.8;0.6". */
static void rates(FILE *f, const struct outcome *o)
{
	fputc(',', f);
	for (uint32_t i = 0; i < o->drafts && o->accepted.drafts; i++) {
		char text[NUMBER_SIZE];
		number_format(text, metric_acceptance_at(o, i));
		fprintf(f, "%s%s", i ? ";" : "", text);
	}
}

static void write_head(FILE *f)
{
	fputs("arm,plugin,version", f);
	for (size_t i = 0; i < n_metrics; i++) {
		fprintf(f, ",%s", metric[i].name);
		if (metric[i].positions)
			fputs(",spec_decode_per_position_acceptance_rates", f);
	}
	fputs(",saturation,support,energy_support", f);
	for (int i = 0; i < N_PARTS; i++)
		fprintf(f, ",step_%s_us", part_name[i]);
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, ",coverage_%s", provenance_name[i]);
	fputs(",coverage_none,error\n", f);
}

static void write_row(FILE *f, const struct arm_record *r,
		      const struct trusted *t)
{
	const struct outcome *o = &r->outcome;
	const struct breakdown *b = &r->breakdown;
	double sum = 0;
	csv_next_text(f, r->plugin);
	csv_next_text(f, r->version);
	for (size_t i = 0; i < n_metrics; i++) {
		csv_next_number(f, metric_value(&metric[i], o));
		if (metric[i].positions)
			rates(f, o);
	}
	fprintf(f, ",%s,%s,%s", saturation_name[o->saturation],
		support_name[t->support.verdict],
		o->energy.is_known > 0 ? support_name[t->energy.support.verdict]
				       : "");
	for (int i = 0; i < N_PARTS; i++)
		csv_next_number(f, breakdown_sum_us(b, (enum part)i) /
				       (double)b->steps);
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		sum += o->coverage_us[i];
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		csv_next_number(f, sum > 0 ? o->coverage_us[i] / sum : NAN);
	fputc(',', f);
}

void results_csv(const struct results *r, FILE *f)
{
	write_head(f);
	for (size_t i = 0; i < r->n; i++) {
		const struct arm_result *a = &r->arm[i];
		csv_text(f, a->name);
		if (a->error) {
			size_t empty =
			    2 + n_metrics + 4 + N_PARTS + COVERAGE_CLASSES;
			while (empty--)
				fputc(',', f);
			csv_next_text(f, a->error);
		} else {
			write_row(f, a->record, &a->trusted);
		}
		fputc('\n', f);
	}
}
