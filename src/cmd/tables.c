/* tables.c -- `tables list` and `tables check`: measured kernels that are
 * there, and what is suspicious about them. */
#include <config.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/csv.h"
#include "base/json_writer.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "setup/datafile.h"
#include "tables/check.h"
#include "tables/set.h"

struct options {
	const char *path;
};
static const struct option_def option[] = {
    {.name = "path",
     .arg = "FOLDER",
     .type = OPTION_TEXT,
     .offset = offsetof(struct options, path),
     .help = "where sets are, instead of the data folders' bench_data"},
};

/* Rows of output, of either command. */
struct report {
	const struct cmdline *c;
	struct outfile out;
	struct jw j;
	int code;
	const char *set;
};

/* ---- all sets ---- */

typedef void (*set_fn)(struct report *r, const char *path, const char *set);

static int each_set_of(struct report *r, const char *path, set_fn fn,
		       struct problem *p)
{
	struct names names = {0};
	int rc = set_names(&names, path);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		fn(r, path, names.item[i]);
	names_free(&names);
	return rc < 0 ? problem_set(p, EXIT_USAGE, "out of memory") : 0;
}

static int each_set(struct report *r, set_fn fn, struct problem *p)
{
	const struct options *o = r->c->own;
	struct searchpath s;
	int rc = o->path ? searchpath_make(&s, o->path, NULL, "")
			 : datafile_folders(&s, "bench_data");
	if (rc < 0)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; rc == 0 && i < s.folder.n; i++)
		rc = each_set_of(r, s.folder.item[i], fn, p);
	searchpath_free(&s);
	return rc;
}

static void failed(struct report *r, const struct problem *p)
{
	int code = complain(p);
	r->code = code > r->code ? code : r->code;
}

/* The head of the document, and its end. */
static int begin(struct report *r, const char *csv_head, struct problem *p)
{
	if (outfile_open(&r->out, r->c->output, p) < 0)
		return -1;
	if (r->c->format == FORMAT_JSON) {
		jw_start(&r->j, r->out.f);
		jw_array(&r->j, NULL);
	} else if (r->c->format == FORMAT_CSV) {
		fprintf(r->out.f, "%s\n", csv_head);
	}
	return 0;
}

static int finish(struct report *r, struct problem *p)
{
	if (r->c->format == FORMAT_JSON) {
		jw_end(&r->j);
		jw_finish(&r->j);
	}
	return outfile_commit(&r->out, p);
}

/* ---- list ---- */

static const char *note_of(const struct table_set *s, const char *key)
{
	const char *v = ini_get(&s->manifest, "", key);
	return v ? v : "";
}

static void list_table(struct report *r, const char *path,
		       const struct table_set *s, const sc_table *t)
{
	FILE *f = r->out.f;
	if (r->c->format == FORMAT_JSON) {
		jw_flat_object(&r->j, NULL);
		jw_text(&r->j, "set", s->name);
		jw_text(&r->j, "op", t->op);
		jw_uint(&r->j, "rows", t->n_rows);
		jw_text(&r->j, "source", note_of(s, "source"));
		jw_text(&r->j, "path", path);
		jw_end(&r->j);
	} else if (r->c->format == FORMAT_CSV) {
		csv_text(f, s->name);
		fprintf(f, ",%s,%llu,", t->op, (unsigned long long)t->n_rows);
		csv_text(f, note_of(s, "source"));
		putc(',', f);
		csv_text(f, path);
		putc('\n', f);
	} else {
		fprintf(f, "  %-20s %8llu rows\n", t->op,
			(unsigned long long)t->n_rows);
	}
}

static void list_set(struct report *r, const char *path, const char *set)
{
	struct table_set s;
	struct problem p;
	if (set_load(&s, path, set, &p) < 0) {
		failed(r, &p);
		return;
	}
	if (r->c->format == FORMAT_TEXT || r->c->format == FORMAT_DEFAULT)
		fprintf(r->out.f, "%s%s%s\n", s.name,
			note_of(&s, "source")[0] ? ": " : "",
			note_of(&s, "source"));
	for (uint32_t i = 0; i < s.n; i++)
		list_table(r, path, &s, s.view[i]);
	set_free(&s);
}

static int list(const struct cmdline *c)
{
	struct report r = {.c = c};
	struct problem p;
	int rc = begin(&r, "set,op,rows,source,path", &p);
	if (rc == 0)
		rc = each_set(&r, list_set, &p);
	if (rc == 0)
		rc = finish(&r, &p);
	outfile_discard(&r.out);
	if (rc < 0)
		failed(&r, &p);
	return r.code;
}

const struct command command_tables_list = {
    .name = "tables list",
    .args = "",
    .summary = "the sets of measured kernels that there are",
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = list,
};

/* ---- check ---- */

static void tell(void *user, const struct finding *f)
{
	struct report *r = user;
	FILE *out = r->out.f;
	if (f->is_error && r->code < EXIT_SAYS_NO)
		r->code = EXIT_SAYS_NO;
	if (r->c->format == FORMAT_JSON) {
		jw_flat_object(&r->j, NULL);
		jw_text(&r->j, "set", r->set);
		jw_text(&r->j, "file", f->file);
		if (f->line)
			jw_uint(&r->j, "line", f->line);
		jw_text(&r->j, "kind", f->kind);
		jw_text(&r->j, "severity", f->is_error ? "error" : "note");
		jw_text(&r->j, "text", f->text);
		jw_end(&r->j);
	} else if (r->c->format == FORMAT_CSV) {
		csv_text(out, r->set ? r->set : "");
		putc(',', out);
		csv_text(out, f->file);
		putc(',', out);
		if (f->line)
			fprintf(out, "%llu", (unsigned long long)f->line);
		fprintf(out, ",%s,%s,", f->kind,
			f->is_error ? "error" : "note");
		csv_text(out, f->text);
		putc('\n', out);
	} else {
		fputs(f->file, out);
		if (f->line)
			fprintf(out, ":%llu", (unsigned long long)f->line);
		fprintf(out, ": %s%s: %s\n", f->is_error ? "error: " : "",
			f->kind, f->text);
	}
}

static double number(const struct table_set *s, const char *key)
{
	char *end;
	const char *v = note_of(s, key);
	double d = strtod(v, &end);
	return *v && !*end ? d : (double)NAN;
}

static void check_set(struct report *r, const char *path, const char *set)
{
	struct table_set s;
	struct problem p;
	if (set_load(&s, path, set, &p) < 0) {
		failed(r, &p);
		return;
	}
	r->set = s.name;
	for (uint32_t i = 0; i < s.n_files; i++) {
		char *file;
		if (asprintf(&file, "%s/%s", path, s.file[i].name) < 0)
			break;
		if (tables_check_file(file, number(&s, "gemm_peak_tflops"),
				      number(&s, "attention_peak_tflops"), tell,
				      r, &p) < 0)
			failed(r, &p);
		free(file);
	}
	r->set = NULL;
	set_free(&s);
}

/* A folder of CSV files, one of sets, or one of InferSim's. */
static int check_folder(struct report *r, const char *folder, struct problem *p)
{
	struct names names = {0};
	if (names_add_files(&names, folder, ".csv") < 0)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < names.n; i++) {
		struct problem why;
		char *file;
		if (asprintf(&file, "%s/%s.csv", folder, names.item[i]) < 0)
			break;
		if (tables_check_file(file, NAN, NAN, tell, r, &why) < 0)
			failed(r, &why);
		free(file);
	}
	size_t n = names.n;
	names_free(&names);
	return n ? 0 : each_set_of(r, folder, check_set, p);
}

static int check_one(struct report *r, const char *what, struct problem *p)
{
	const struct options *o = r->c->own;
	struct stat st;
	if (!o->path && stat(what, &st) == 0) {
		if (S_ISREG(st.st_mode))
			return tables_check_file(what, NAN, NAN, tell, r, p);
		if (strchr(what, '/'))
			return check_folder(r, what, p);
	}
	char *path = set_find(o->path, o->path ? "/" : NULL, what, p);
	if (!path)
		return -1;
	check_set(r, path, what);
	free(path);
	return 0;
}

static int check(const struct cmdline *c)
{
	struct report r = {.c = c};
	struct problem p;
	int rc = begin(&r, "set,file,line,kind,severity,text", &p);
	if (rc == 0)
		rc = c->n_args ? check_one(&r, c->arg[0], &p)
			       : each_set(&r, check_set, &p);
	if (rc == 0)
		rc = finish(&r, &p);
	outfile_discard(&r.out);
	if (rc < 0)
		failed(&r, &p);
	return r.code;
}

const struct command command_tables_check = {
    .name = "tables check",
    .args = "[SET or PATH]",
    .summary = "MFU and its peak, rounding, holes, warm-up, order, duplicates",
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = check,
};
