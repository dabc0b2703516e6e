/* sweep_question.c -- Words the question and the options of a sweep. */
#include "report/sweep/sweep_question.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/ini.h"
#include "base/number.h"
#include "base/text.h"
#include "report/titles.h"

/* Writes the axes with several values.  Returns how many there are. */
static size_t write_varying(const struct sweep_data *d, FILE *f)
{
	size_t n = 0, at = 0;
	for (size_t a = 0; a < d->n_axes; a++)
		n += d->axis[a].value.n > 1;
	for (size_t a = 0; a < d->n_axes; a++)
		if (d->axis[a].value.n > 1)
			fprintf(f, "%s%s",
				at++ == 0 ? ""
				: at == n ? " and "
					  : ", ",
				sweep_axis_label(d, a));
	return n;
}

/* Writes the model, unless an axis chooses it.  Returns 0, or -1 with
 * *p. */
static int write_model(const struct sweep_data *d,
		       const struct store_study *study, FILE *f,
		       struct problem *p)
{
	const char *text = study->configuration;
	struct ini c = {0};
	int rc = ini_read(&c, text, strlen(text), p);
	const char *model = rc == 0 ? ini_get(&c, "model", "config") : NULL;
	for (size_t a = 0; a < d->n_axes; a++)
		if (!strncmp(d->axis[a].name, "model.", 6))
			model = NULL;
	fputs(model ? model : "the load", f);
	ini_free(&c);
	return rc;
}

/* Writes the bounds of a capacity search: {"capacity": {NAME: LIMIT}}. */
static void write_bounds(const struct store_study *study, FILE *f)
{
	json_t *options = json_loads(study->options, 0, NULL);
	json_t *limit, *bounds = json_object_get(options, "capacity");
	const char *name, *before = " with ";
	json_object_foreach(bounds, name, limit)
	{
		fputs(before, f);
		title_bound(f, name, json_number_value(limit));
		before = " and ";
	}
	json_decref(options);
}

int sweep_question_ask(struct document *to, const struct store_study *study,
		       const struct sweep_data *d, const char *expense,
		       struct problem *p)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return problem_no_memory(p);
	fputs("Which ", f);
	size_t n = write_varying(d, f);
	fputs(n == 0 ? "point serves " : n == 1 ? " serves " : " serve ", f);
	int rc = write_model(d, study, f, p);
	fprintf(f, " at the least %s", expense);
	write_bounds(study, f);
	char *text = text_end(&t);
	document_ask(to, "%s?", text ? text : "");
	free(text);
	return text ? rc : problem_no_memory(p);
}

/* ---- the options ---- */

/* Writes "NAME VALUE, NAME (NAME VALUE)" of those that are not null. */
static void write_members(json_t *object, FILE *f)
{
	char number[NUMBER_SIZE];
	const char *name, *before = "";
	json_t *v;
	json_object_foreach(object, name, v)
	{
		if (json_is_null(v))
			continue;
		fprintf(f, "%s%s ", before, name);
		before = ", ";
		if (json_is_object(v)) {
			putc('(', f);
			write_members(v, f);
			putc(')', f);
		} else if (json_is_string(v)) {
			fputs(json_string_value(v), f);
		} else {
			number_format(number, json_number_value(v));
			fputs(number, f);
		}
	}
}

char *sweep_options_text(const struct store_study *study)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	json_t *options = json_loads(study->options, 0, NULL);
	write_members(options, f);
	json_decref(options);
	return text_end(&t);
}
