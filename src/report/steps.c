/* steps.c -- Writes priced steps. */
#include "report/steps.h"
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/number.h"
#include "cost/breakdown.h"

static void text_row(FILE *f, const char *step, const char *arm,
		     const sc_result *r)
{
	char total[NUMBER_SIZE], exact[NUMBER_SIZE];
	number_format(total, r->total_us);
	number_format(exact, breakdown_exact_us(r));
	fprintf(f, "%-10s %-20s %18s %20s  %-8s", step, arm, total, exact,
		breakdown_bound(r));
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, " %4u", r->lookups[i]);
	putc('\n', f);
}

void steps_text(const struct priced_steps *s, FILE *f)
{
	fprintf(f, "%-10s %-20s %18s %20s  %-8s lookups:", "step", "arm",
		"total_us", "exact_us", "bound");
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, "%s %s", i ? "," : "", provenance_name[i]);
	putc('\n', f);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->n_arms; k++)
			if (s->arm[k].result[i])
				text_row(f, s->name[i], s->arm[k].arm,
					 s->arm[k].result[i]);
}

/* Returns the part that is faster than the hardware; "": none is. */
static const char *below(const struct floor_mark *m)
{
	return m->is_below ? floor_part_name[m->worst.part] : "";
}

static void csv_row(FILE *f, const char *step, const char *arm,
		    const sc_result *r, const struct floor_mark *m,
		    const struct work *w)
{
	csv_text(f, step);
	csv_next_text(f, arm);
	fputc(',', f);
	breakdown_csv_cells(f, r);
	csv_next_number(f, m->least_us);
	fprintf(f, ",%s", below(m));
	work_csv_cells(f, w);
	fputc('\n', f);
}

void steps_csv(const struct priced_steps *s, FILE *f)
{
	fputs("step,arm,", f);
	breakdown_csv_head(f);
	fputs(",floor_us,faster_than_hardware", f);
	work_csv_head(f);
	fputc('\n', f);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->n_arms; k++)
			if (s->arm[k].result[i])
				csv_row(f, s->name[i], s->arm[k].arm,
					s->arm[k].result[i], s->arm[k].floor[i],
					s->arm[k].work[i]);
}

static void json_row(struct jw *j, const char *step, const char *arm,
		     const sc_result *r, const struct floor_mark *m,
		     const struct work *w)
{
	char key[40];
	jw_flat_object(j, NULL);
	jw_text(j, "step", step);
	jw_text(j, "arm", arm);
	jw_number(j, "total_us", r->total_us);
	jw_number(j, "exact_us", breakdown_exact_us(r));
	jw_text(j, "bound", breakdown_bound(r));
	for (int i = 0; i < N_PARTS; i++) {
		snprintf(key, sizeof key, "%s_us", part_name[i]);
		jw_number(j, key, part_of(r, (enum part)i));
	}
	for (int i = 0; i < SC_N_PROVENANCE; i++) {
		snprintf(key, sizeof key, "lookups_%s", provenance_name[i]);
		jw_uint(j, key, r->lookups[i]);
	}
	jw_number(j, "floor_us", m->least_us);
	jw_text(j, "faster_than_hardware", m->is_below ? below(m) : NULL);
	for (int i = 0; i < N_WORK; i++)
		jw_number(j, work_name[i], w->value[i]);
	jw_end(j);
}

static void json_arms(struct jw *j, const struct step_prices *arm,
		      size_t n_arms)
{
	jw_array(j, "arms");
	for (size_t i = 0; i < n_arms; i++) {
		jw_flat_object(j, NULL);
		jw_text(j, "name", arm[i].arm);
		jw_text(j, "plugin", arm[i].plugin);
		if (arm[i].error)
			jw_text(j, "error", arm[i].error);
		jw_end(j);
	}
	jw_end(j);
}

void steps_json(const struct priced_steps *s, FILE *f)
{
	struct jw j = jw_document(f);
	jw_int(&j, "schema", JSON_SCHEMA);
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	json_arms(&j, s->arm, s->n_arms);
	jw_array(&j, "steps");
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->n_arms; k++)
			if (s->arm[k].result[i])
				json_row(&j, s->name[i], s->arm[k].arm,
					 s->arm[k].result[i],
					 s->arm[k].floor[i], s->arm[k].work[i]);
	jw_finish(&j);
}
