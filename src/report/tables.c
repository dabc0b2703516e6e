/* tables.c -- Writes sets of tables, findings and fitted laws. */
#include "report/tables.h"
#include "base/csv.h"
#include "base/paragraph.h"
#include "cost/kernel_op.h"

void tables_report_begin(struct tables_report *r, FILE *f, int format,
			 enum tables_rows rows)
{
	*r = (struct tables_report){.f = f, .format = format};
	if (format == FORMAT_JSON) {
		jw_start(&r->j, f);
		jw_array(&r->j, NULL);
	} else if (format == FORMAT_CSV) {
		fputs(rows == TABLES_SETS
			  ? "set,op,rows,source,path\n"
			  : "set,file,line,kind,severity,text\n",
		      f);
	}
}

void tables_report_end(struct tables_report *r)
{
	if (r->format == FORMAT_JSON) {
		jw_end(&r->j);
		jw_finish(&r->j);
	}
}

/* ---- sets ---- */

static void json_table(struct jw *j, const char *path, const char *source,
		       const sc_table *t)
{
	jw_flat_object(j, NULL);
	jw_text(j, "set", t->set);
	jw_text(j, "op", t->op);
	jw_uint(j, "rows", t->n_rows);
	jw_text(j, "source", source);
	jw_text(j, "path", path);
	jw_end(j);
}

static void csv_table(FILE *f, const char *path, const char *source,
		      const sc_table *t)
{
	csv_text(f, t->set);
	csv_next_text(f, t->op);
	fprintf(f, ",%llu,", (unsigned long long)t->n_rows);
	csv_text(f, source);
	csv_next_text(f, path);
	putc('\n', f);
}

void tables_report_set(struct tables_report *r, const char *path,
		       const struct table_set *s)
{
	const char *noted = ini_get(&s->manifest, "", "source");
	const char *source = noted ? noted : "";
	if (r->format != FORMAT_JSON && r->format != FORMAT_CSV)
		paragraph_print(r->f, PARAGRAPH_COLUMNS, 2, "%s%s%s", s->name,
				*source ? ": " : "", source);
	for (uint32_t i = 0; i < s->n; i++) {
		const sc_table *t = s->view[i];
		if (r->format == FORMAT_JSON)
			json_table(&r->j, path, source, t);
		else if (r->format == FORMAT_CSV)
			csv_table(r->f, path, source, t);
		else
			fprintf(r->f, "  %-20s %8llu rows%s\n", t->op,
				(unsigned long long)t->n_rows,
				kernel_table_find(t->op)
				    ? ""
				    : ", of an unknown kind");
	}
}

/* ---- findings ---- */

static const char *severity(const struct finding *f)
{
	return f->is_error ? "error" : "note";
}

static void json_finding(struct jw *j, const char *set, const struct finding *f)
{
	jw_flat_object(j, NULL);
	jw_text(j, "set", set);
	jw_text(j, "file", f->file);
	if (f->line)
		jw_uint(j, "line", f->line);
	jw_text(j, "kind", f->kind);
	jw_text(j, "severity", severity(f));
	jw_text(j, "text", f->text);
	jw_end(j);
}

static void csv_finding(FILE *out, const char *set, const struct finding *f)
{
	csv_text(out, set ? set : "");
	csv_next_text(out, f->file);
	putc(',', out);
	if (f->line)
		fprintf(out, "%llu", (unsigned long long)f->line);
	fprintf(out, ",%s,%s,", f->kind, severity(f));
	csv_text(out, f->text);
	putc('\n', out);
}

static void text_finding(FILE *out, const struct finding *f)
{
	fputs(f->file, out);
	if (f->line)
		fprintf(out, ":%llu", (unsigned long long)f->line);
	fprintf(out, ": %s%s: %s\n", f->is_error ? "error: " : "", f->kind,
		f->text);
}

void tables_report_finding(struct tables_report *r, const char *set,
			   const struct finding *f)
{
	if (r->format == FORMAT_JSON)
		json_finding(&r->j, set, f);
	else if (r->format == FORMAT_CSV)
		csv_finding(r->f, set, f);
	else
		text_finding(r->f, f);
}

/* ---- laws ---- */

void tables_report_law(FILE *f, const struct kernel_fit *fit)
{
	const struct sc_law_kind *kind = sc_law_kind_of(fit->law.op);
	for (uint32_t i = 0; i < kind->n_constants; i++)
		fprintf(f, "law.%s.%s.%s = %.6g\n", kind->op,
			sc_format_name(fit->format), kind->constant[i].name,
			fit->law.c[i]);
}

void tables_report_operator(FILE *f, const struct operator_fit *fit)
{
	const struct sc_oplaw_kind *kind = &sc_oplaw_kinds[fit->row_key.op];
	char key[64];
	sc_op_key_numbers(&fit->row_key, key, sizeof key);
	for (uint32_t i = 0; i < kind->n_constants; i++)
		fprintf(f, "operators.%s.%s.%s = %.6g\n", kind->op, key,
			kind->constant[i].name, fit->law.c[i]);
}

void tables_report_mixer(FILE *f, const struct mixer_fit *fit)
{
	const struct sc_mixer_constants *kind =
	    &sc_mixer_laws[sc_mixer_law_of(fit->law.table, fit->law.op)];
	char key[128];
	sc_mixer_key_numbers(&fit->row_key, key, sizeof key);
	for (uint32_t i = 0; i < kind->n; i++)
		fprintf(f, "operators.%s.%s.%s = %.6g\n",
			sc_mixer_kinds[fit->law.table].table, key,
			kind->constant[i].name, fit->law.c[i]);
}

void tables_report_thinned(FILE *f, const char *file,
			   const struct downsampled *is)
{
	fprintf(f, "%s: keeps %llu of %llu points", file,
		(unsigned long long)is->kept, (unsigned long long)is->n);
	if (is->kept < is->n)
		fprintf(f,
			"; the others are %.2f %% off the lines between "
			"these, at most %.1f %% (line %llu)",
			100 * is->mean, 100 * is->worst,
			(unsigned long long)is->worst_line);
	putc('\n', f);
}
