/* validation_csv.c -- Writes a validation with one line per row and arm. */
#include "report/validation/validation.h"
#include <math.h>
#include "base/csv.h"

static void text_cell(FILE *f, const char *s)
{
	csv_text(f, s ? s : "");
	putc(',', f);
}

static void csv_time(FILE *f, double predicted, double measured)
{
	csv_next_number(f, predicted);
	csv_next_number(f, measured);
	csv_next_number(f, 100 * (predicted / measured - 1));
}

/* The columns that each metric has, and the columns after these. */
static const struct csv_group {
	enum statistic of[3];
	int n;
} csv_group[] = {{{STATISTIC_MEAN, STATISTIC_P90, STATISTIC_P99}, 3},
		 {{STATISTIC_P50}, 1},
		 {{STATISTIC_P95}, 1}};

static void csv_head_group(FILE *f, const struct csv_group *g)
{
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		for (int i = 0; i < g->n; i++) {
			const char *s = statistic_name[g->of[i]];
			const char *m = latency_name[k];
			fprintf(f,
				",%s_%s_ms,measured_%s_%s_ms,%s_%s_error_pct",
				s, m, s, m, s, m);
		}
}

static void csv_row_group(FILE *f, const struct csv_group *g,
			  const struct prediction *is,
			  const struct measured_row *r)
{
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		for (int i = 0; i < g->n; i++)
			csv_time(f,
				 is->priced ? is->time[k].of[g->of[i]]
					    : (double)NAN,
				 r->time[k].of[g->of[i]]);
}

static void csv_row(const struct validation *v, size_t row, size_t arm, FILE *f)
{
	const struct measured_row *r = &v->file->row[row];
	const struct prediction *is = validation_of(v, arm, row);
	text_cell(f, r->id);
	text_cell(f, r->model);
	text_cell(f, r->gpu);
	text_cell(f, r->workload);
	text_cell(f, r->flags);
	text_cell(f, v->arm[arm]);
	fputs(is->priced ? "true" : "false", f);
	csv_row_group(f, &csv_group[0], is, r);
	if (is->priced)
		fprintf(f, ",%s,%llu", saturation_name[is->saturation],
			(unsigned long long)is->rejected);
	else
		fputs(",,", f);
	csv_row_group(f, &csv_group[1], is, r);
	csv_time(f, is->priced ? is->output_throughput : (double)NAN,
		 r->output_throughput);
	csv_next_number(f, is->priced ? is->computed_share : (double)NAN);
	csv_next_number(f, is->priced ? is->prefill_share : (double)NAN);
	csv_next_number(f, 100 * validation_implied_error(v, arm, row));
	fputs(r->draft_tokens >= 1 ? ",acceptance" : ",", f);
	for (int k = 0; k < N_ROW_REPLAY_ENERGY; k++)
		csv_next_number(f, is->priced ? is->energy[k] : (double)NAN);
	csv_row_group(f, &csv_group[2], is, r);
	putc('\n', f);
}

void validation_csv(const struct validation *v, FILE *f)
{
	fputs("id,model,gpu,workload,flags,arm,priced", f);
	csv_head_group(f, &csv_group[0]);
	fputs(",saturation,rejected", f);
	csv_head_group(f, &csv_group[1]);
	fputs(",output_throughput,measured_output_throughput,"
	      "output_throughput_error_pct,computed_share,prefill_share,"
	      "implied_throughput_error_pct,assumed",
	      f);
	for (int k = 0; k < N_ROW_REPLAY_ENERGY; k++)
		fprintf(f, ",%s", row_replay_energy_name[k]);
	csv_head_group(f, &csv_group[2]);
	putc('\n', f);
	for (size_t i = 0; i < v->file->n; i++)
		for (size_t k = 0; k < v->n_arms; k++)
			csv_row(v, i, k, f);
}
