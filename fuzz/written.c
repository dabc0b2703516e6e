/* written.c -- What the writers write is read back: each cell of CSV, each text
 * and number of JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/printable.h"

enum { LONGEST = 4096 };

/* Writes the text as csv.h says: ends of lines as they are, other characters
 * that control a terminal as their code. */
static void shown_as(char *to, size_t size, const char *text)
{
	FILE *f = fmemopen(to, size, "w");
	while (f && *text) {
		size_t line = strcspn(text, "\r\n");
		size_t ends = strspn(text + line, "\r\n");
		printable_line(f, text, line);
		fwrite(text + line, 1, ends, f);
		text += line + ends;
	}
	if (f)
		fclose(f);
}

static const char *is_cell(void *user, uint64_t row, uint32_t n,
			   char *const *cell)
{
	static char shown[8 * LONGEST];
	memset(shown, 0, sizeof shown);
	shown_as(shown, sizeof shown, user);
	if (row == 1 && (n != 2 || (strcmp(cell[0], user) != 0 &&
				    strcmp(cell[0], shown) != 0)))
		abort();
	return NULL;
}

static void as_csv(char *text)
{
	char *file = NULL;
	size_t n = 0;
	struct problem p;
	FILE *f = open_memstream(&file, &n);
	if (!f)
		return;
	fputs("text,second\n", f);
	csv_text(f, text);
	fputs(",1\n", f);
	fclose(f);
	f = fmemopen(file, n, "r");
	if (!f || csv_read(f, "written", is_cell, text, &p) < 0)
		abort();
	fclose(f);
	free(file);
}

/* A number comes back as the same double; one that is none as an empty cell. */
static const char *is_same(void *user, uint64_t row, uint32_t n,
			   char *const *cell)
{
	double v = *(double *)user;
	char *end;
	if (row == 1 &&
	    (n != 2 || (isnan(v) ? *cell[0] != '\0'
				 : strtod(cell[0], &end) != v || *end != '\0')))
		abort();
	return NULL;
}

static void number_as_csv(double v)
{
	char file[200];
	struct problem p;
	FILE *f = fmemopen(file, sizeof file, "w");
	if (!f)
		return;
	fputs("number,second\n", f);
	csv_number(f, v);
	fputs(",1\n", f);
	long n = ftell(f);
	fclose(f);
	f = fmemopen(file, (size_t)n, "r");
	if (!f || csv_read(f, "written", is_same, &v, &p) < 0)
		abort();
	fclose(f);
}

static void is_number(json_t *tree, double v)
{
	const json_t *got = json_object_get(tree, "v");
	if (isfinite(v) ? json_number_value(got) != v : !json_is_null(got))
		abort();
}

static void as_json(const char *text, double v)
{
	char *file = NULL;
	size_t n = 0;
	struct jw j;
	FILE *f = open_memstream(&file, &n);
	if (!f)
		return;
	jw_start(&j, f);
	jw_object(&j, NULL);
	jw_text(&j, "text", text);
	jw_number(&j, "v", v);
	jw_flat_object(&j, "flat");
	jw_null(&j, "none");
	jw_literal(&j, "list", "[1]");
	jw_end(&j);
	jw_end(&j);
	jw_finish(&j);
	fclose(f);
	json_t *tree = json_loadb(file, n, 0, NULL);
	if (!tree)
		abort();
	is_number(tree, v);
	json_t *same = json_string(text); /* NULL: it is not UTF-8 */
	if (same && !json_equal(same, json_object_get(tree, "text")))
		abort();
	json_decref(same);
	json_decref(tree);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double v = 0;
	memcpy(&v, data, size < sizeof v ? size : sizeof v);
	char *text = fuzz_text(data, size, LONGEST);
	number_as_csv(v);
	if (text) {
		as_csv(text);
		as_json(text, v);
	}
	free(text);
	return 0;
}
