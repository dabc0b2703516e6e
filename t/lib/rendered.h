/* rendered.h -- keeps the text that a report writes, and looks into it: as
 * text, as CSV, as JSON.
 *
 *   steps_csv(&s, arm, 2, rendered_begin());
 *   is(rendered_cell(rendered_end(), 1, "total_us"), "5", "...");
 */
#ifndef T_RENDERED_H
#define T_RENDERED_H
#include <jansson.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "tap.h"

static char *rendered_text;
static size_t rendered_size;
static FILE *rendered_file;
static json_t *rendered_doc;

/* Where the report is to write. */
static FILE *rendered_begin(void)
{
	free(rendered_text);
	rendered_text = NULL;
	rendered_file = open_memstream(&rendered_text, &rendered_size);
	if (!rendered_file)
		bail_out("out of memory");
	return rendered_file;
}

/* All that it wrote; good until the next beginning. */
static const char *rendered_end(void)
{
	fclose(rendered_file);
	return rendered_text;
}

/* A JSON object to which a report adds members. */
__attribute__((unused)) static struct jw *rendered_object(void)
{
	static struct jw j;
	jw_start(&j, rendered_begin());
	jw_object(&j, NULL);
	return &j;
}

/* The document; good until the next one.  One that cannot be parsed, or has a
 * member twice, ends the test. */
__attribute__((unused)) static json_t *rendered_json(void)
{
	json_error_t e = {0};
	json_decref(rendered_doc);
	rendered_doc = json_loads(rendered_end(), JSON_REJECT_DUPLICATES, &e);
	if (!rendered_doc)
		bail_out(e.text);
	return rendered_doc;
}

/* The same of members that were added to rendered_object(). */
__attribute__((unused)) static json_t *rendered_members(struct jw *j)
{
	jw_end(j);
	jw_finish(j);
	return rendered_json();
}

/* Returns the value at a path ("arms.0.name"), or null if there is none. */
static json_t *json_at(json_t *doc, const char *path)
{
	char part[80];
	while (*path && doc) {
		size_t n = strcspn(path, ".");
		snprintf(part, sizeof part, "%.*s", (int)n, path);
		doc = json_is_array(doc)
			  ? json_array_get(doc, strtoul(part, NULL, 10))
			  : json_object_get(doc, part);
		path += n + (path[n] == '.');
	}
	return doc ? doc : json_null();
}

/* NaN: it is no number. */
__attribute__((unused)) static double json_number_at(json_t *doc,
						     const char *path)
{
	json_t *is = json_at(doc, path);
	return json_is_number(is) ? json_number_value(is) : (double)NAN;
}

/* "(none)": it is no text. */
__attribute__((unused)) static const char *json_text_at(json_t *doc,
							const char *path)
{
	const char *is = json_string_value(json_at(doc, path));
	return is ? is : "(none)";
}

/* ---- CSV ---- */

struct rendered_search {
	uint64_t row;
	const char *column;
	uint32_t at;
	char cell[600];
};

static const char *rendered_look(void *user, uint64_t row, uint32_t n,
				 char *const *cell)
{
	struct rendered_search *s = user;
	if (row == 0) {
		s->at = n;
		for (uint32_t i = 0; i < n; i++)
			if (!strcmp(cell[i], s->column))
				s->at = i;
	}
	if (row == s->row && s->at < n)
		snprintf(s->cell, sizeof s->cell, "%s", cell[s->at]);
	return NULL;
}

/* Returns the cell of a column in a row (the first row is 1), or "(none)" if
 * there is no such cell.  A text that is no CSV ends the test. */
__attribute__((unused)) static const char *
rendered_cell(const char *text, uint64_t row, const char *column)
{
	static struct rendered_search s;
	struct problem p;
	s = (struct rendered_search){
	    .row = row, .column = column, .cell = "(none)"};
	FILE *f = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	if (!f || csv_read(f, "rendered", rendered_look, &s, &p) < 0)
		bail_out(f ? p.text : "fmemopen");
	fclose(f);
	return s.cell;
}

/* ---- text ---- */

/* Returns how often the text has it. */
__attribute__((unused)) static int rendered_count(const char *needle)
{
	int n = 0;
	for (const char *s = rendered_text; (s = strstr(s, needle)); s++)
		n++;
	return n;
}

__attribute__((unused)) static void rendered_has(const char *text,
						 const char *want)
{
	if (!ok(strstr(text, want) != NULL, "says: %s", want))
		printf("# got: %s\n", text);
}

__attribute__((unused)) static void rendered_lacks(const char *text,
						   const char *part)
{
	if (!ok(strstr(text, part) == NULL, "does not say: %s", part))
		printf("# got: %s\n", text);
}
#endif
