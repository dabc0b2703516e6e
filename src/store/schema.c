/* schema.c -- Writes the statements that create the tables of a store. */
#include "store/schema.h"
#include "base/text.h"

void schema_quote(FILE *f, const char *name)
{
	fputc('"', f);
	for (; *name; name++) {
		if (*name == '"')
			fputc('"', f);
		fputc(*name, f);
	}
	fputc('"', f);
}

/* Writes `, "name"` and the type; a name may contain any character. */
static void write_column(FILE *f, const char *table, const char *name,
			 const char *type)
{
	fprintf(f, ", %s", table);
	schema_quote(f, name);
	fputs(type, f);
}

static void write_result_table(FILE *f, enum store_mode mode)
{
	struct store_column c;
	fputs("CREATE TABLE result (point TEXT NOT NULL, arm TEXT NOT NULL, "
	      "seed INTEGER NOT NULL, key TEXT NOT NULL, "
	      "status TEXT NOT NULL, error TEXT, warning TEXT",
	      f);
	for (size_t i = 0; store_text(mode, i); i++)
		write_column(f, "", store_text(mode, i), " TEXT");
	for (size_t i = 0; store_number(mode, i, &c); i++)
		write_column(f, "", c.name, " REAL");
	fputs(", digest TEXT NOT NULL, PRIMARY KEY (point, arm, seed)) "
	      "WITHOUT ROWID;\n",
	      f);
}

static void write_view(FILE *f, enum store_mode mode, const char *const *axis,
		       size_t n_axes)
{
	struct store_column c;
	fputs("CREATE VIEW results AS SELECT point.point", f);
	for (size_t i = 0; i < n_axes; i++)
		write_column(f, "", axis[i], "");
	fputs(", arm, seed, status, error, warning", f);
	for (size_t i = 0; store_text(mode, i); i++)
		write_column(f, "", store_text(mode, i), "");
	for (size_t i = 0; store_number(mode, i, &c); i++)
		write_column(f, "result.", c.name, "");
	fputs(" FROM point JOIN result USING (point);\n", f);
}

char *schema_statements(enum store_mode mode, const char *const *axis,
			size_t n_axes)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fprintf(f, "PRAGMA application_id = %d;\n", STORE_APPLICATION);
	fputs("CREATE TABLE study (schema INTEGER NOT NULL, stepcost TEXT, "
	      "mode TEXT, configuration TEXT, axes TEXT, options TEXT, "
	      "arms TEXT, points INTEGER, shard INTEGER, shards INTEGER, "
	      "digest TEXT);\n"
	      "CREATE TABLE point (point TEXT PRIMARY KEY",
	      f);
	/* NUMERIC stores a number as a number and anything else as text. */
	for (size_t i = 0; i < n_axes; i++)
		write_column(f, "", axis[i], " NUMERIC");
	fputs(") WITHOUT ROWID;\n", f);
	write_result_table(f, mode);
	write_view(f, mode, axis, n_axes);
	fputs("CREATE TABLE log (at TEXT, seconds REAL, cpu_seconds REAL, "
	      "host TEXT, process INTEGER, point TEXT, arm TEXT, "
	      "seed INTEGER);\n",
	      f);
	return text_end(&t);
}
