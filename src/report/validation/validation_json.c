/* validation_json.c -- Writes a validation as members of a document. */
#include "report/results/support.h"
#include "report/validation/validation.h"
#include "report/validation/validation_parts.h"

static size_t priced(const struct validation *v, size_t arm)
{
	size_t n = 0;
	for (size_t i = 0; i < v->file->n; i++)
		n += (size_t)validation_of(v, arm, i)->priced;
	return n;
}

static void json_summary(struct jw *j, const char *key,
			 const struct error_summary *s)
{
	jw_flat_object(j, key);
	jw_uint(j, "rows", s->n);
	jw_number(j, "mean", s->mean);
	jw_number(j, "median", s->median);
	jw_number(j, "p90", s->p90);
	jw_number(j, "bias", s->bias);
	jw_end(j);
}

static void json_choice(struct jw *j, const char *key,
			const struct validation *v, size_t arm,
			enum row_choice choice)
{
	jw_object(j, key);
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		struct error_summary s =
		    validation_summary(v, arm, validation_shown[k], choice);
		json_summary(j, latency_name[validation_shown[k]], &s);
	}
	jw_end(j);
}

static void json_class(struct jw *j, const struct validation *v, size_t arm,
		       const struct grouping *g, const char *value)
{
	struct error_summary s = validation_throughput(v, arm, g, value);
	jw_object(j, NULL);
	jw_text(j, "of", g->name);
	jw_text(j, "is", value);
	if (s.n)
		json_summary(j, "output_throughput", &s);
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		s = validation_summary_of(v, arm, validation_shown[k],
					  STATISTIC_MEAN, ROWS_OWN, g, value);
		json_summary(j, latency_name[validation_shown[k]], &s);
	}
	jw_end(j);
}

/* Writes the errors of groups of rows that an arm prices and that are not
 * saturated. */
static void json_classes(struct jw *j, const struct validation *v, size_t arm)
{
	jw_array(j, "classes");
	for (size_t g = 0; g < n_groupings; g++) {
		struct names is = grouping_values(v, arm, &grouping[g]);
		for (size_t i = 0; i < is.n; i++)
			json_class(j, v, arm, &grouping[g], is.item[i]);
		names_free(&is);
	}
	jw_end(j);
}

static void json_row(struct jw *j, const struct validation *v, size_t arm,
		     size_t row)
{
	const struct prediction *is = validation_of(v, arm, row);
	char key[40];
	jw_flat_object(j, NULL);
	jw_text(j, "id", v->file->row[row].id);
	if (is->priced) {
		jw_text(j, "saturation", saturation_name[is->saturation]);
		jw_uint(j, "rejected", is->rejected);
	}
	for (int k = 0; k < N_RUN_LATENCIES && is->priced; k++) {
		snprintf(key, sizeof key, "mean_%s_ms", latency_name[k]);
		jw_number(j, key, is->time[k].of[STATISTIC_MEAN]);
		snprintf(key, sizeof key, "%s_error", latency_name[k]);
		jw_number(j, key,
			  validation_error(v, arm, row, (enum run_latency)k,
					   STATISTIC_MEAN));
	}
	jw_end(j);
}

/* Whether measured means lie within the model's own intervals. */
static void json_own_coverage(struct jw *j, const struct validation *v,
			      size_t arm)
{
	jw_object(j, "own_coverage");
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		enum run_latency latency = validation_shown[k];
		struct own_coverage c =
		    validation_own_coverage(v, arm, latency);
		own_coverage_json(j, validation_title[latency], &c);
	}
	jw_end(j);
}

void validation_json(const struct validation *v, struct jw *j)
{
	jw_uint(j, "rows", v->file->n);
	jw_array(j, "arms");
	for (size_t k = 0; k < v->n_arms; k++) {
		jw_object(j, NULL);
		jw_text(j, "name", v->arm[k]);
		jw_uint(j, "priced", priced(v, k));
		json_choice(j, "common", v, k, ROWS_COMMON);
		json_choice(j, "own", v, k, ROWS_OWN);
		json_choice(j, "saturated", v, k, ROWS_SATURATED);
		json_classes(j, v, k);
		json_own_coverage(j, v, k);
		jw_array(j, "predictions");
		for (size_t i = 0; i < v->file->n; i++)
			json_row(j, v, k, i);
		jw_end(j);
		jw_end(j);
	}
	jw_end(j);
}
