/* sweep_table.c -- Writes rows of a sweep, one after another. */
#include "report/sweep/sweep_table.h"
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "report/sweep/sweep_rows_document.h"

/* ---- CSV and JSON have every column ---- */

static int write_csv(FILE *f, const struct sweep_table *of, struct problem *p)
{
	struct reader *r = of->reader;
	size_t n = reader_n_columns(r);
	int rc;
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f);
		csv_text(f, reader_head(r, i)->name);
	}
	fputc('\n', f);
	while ((rc = reader_next(r, p)) == 1) {
		for (size_t i = 0; i < n; i++) {
			const struct value *v = reader_cell(r, i);
			fputs(i ? "," : "", f);
			if (v->text)
				csv_text(f, v->text);
			else
				csv_number(f, v->number);
		}
		fputc('\n', f);
	}
	return rc;
}

static void json_head(struct jw *j, const struct sweep_table *of)
{
	const struct store_study *s = store_study(of->store);
	jw_int(j, "schema", STORE_SCHEMA);
	jw_text(j, "stepcost", s->stepcost);
	jw_text(j, "command", of->command);
	jw_text(j, "mode", store_mode_name[s->mode]);
	jw_literal(j, "plan", s->axes);
	jw_literal(j, "options", s->options);
	jw_int(j, "points", s->points);
	if (s->shards) {
		jw_int(j, "shard", s->shard);
		jw_int(j, "shards", s->shards);
	}
}

static int write_json(FILE *f, const struct sweep_table *of, struct problem *p)
{
	struct reader *r = of->reader;
	int rc;
	struct jw j = jw_document(f);
	json_head(&j, of);
	jw_array(&j, "results");
	while ((rc = reader_next(r, p)) == 1) {
		jw_flat_object(&j, NULL);
		for (size_t i = 0; i < reader_n_columns(r); i++) {
			const struct value *v = reader_cell(r, i);
			const char *name = reader_head(r, i)->name;
			if (v->text)
				jw_text(&j, name, v->text);
			else
				jw_number(&j, name, v->number);
		}
		jw_end(&j);
	}
	jw_finish(&j);
	return rc;
}

static int write_text(FILE *f, const struct sweep_table *of, struct problem *p)
{
	struct document d = {0};
	int rc = sweep_rows_document(&d, of->reader, p);
	if (rc == 0)
		document_text(&d, IN_TEXT, f);
	document_free(&d);
	return rc;
}

int sweep_table_write(FILE *f, int format, const struct sweep_table *t,
		      struct problem *p)
{
	return format == FORMAT_JSON  ? write_json(f, t, p)
	       : format == FORMAT_CSV ? write_csv(f, t, p)
				      : write_text(f, t, p);
}
