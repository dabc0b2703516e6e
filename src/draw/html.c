/* html.c -- Writes the frame, the text and the tables of a page. */
#include <config.h>
#include "draw/html.h"
#include <stdint.h>
#include <string.h>
#include "base/number.h"
#include "draw/svg.h"

void html_begin(FILE *f, const char *title)
{
	fputs(
	    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	    "<meta name=\"viewport\" content=\"width=device-width\">"
	    "<link rel=\"icon\" href=\"data:,\"><title>",
	    f);
	svg_text(f, title);
	fputs("</title>\n<style>\n"
	      ":root{color-scheme:light dark;--paper:#fff;--soft:#f3f3f3}\n"
	      "@media(prefers-color-scheme:dark){:root{--paper:#181818;"
	      "--soft:#262626}}\n"
	      "@media print{:root{color-scheme:light;--paper:#fff;"
	      "--soft:#fff}details>*{display:block}}\n",
	      f);
	svg_css(f);
	fputs("body{font:15px/1.45 sans-serif;max-width:72rem;margin:1rem auto;"
	      "padding:0 1rem;background:var(--paper);color:var(--ink)}\n"
	      "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\n"
	      ".wide{overflow-x:auto}"
	      "table{border-collapse:collapse;margin:.4rem 0;"
	      "font-variant-numeric:tabular-nums}\n"
	      "th,td{padding:.15rem .6rem;border-bottom:1px solid var(--grid);"
	      "text-align:right;vertical-align:top}"
	      "th:first-child,td.w{text-align:left}"
	      "thead th{background:var(--soft)}\n"
	      "td>table{margin:0}summary{cursor:pointer;font-weight:bold}\n"
	      "figure,.fig{break-inside:avoid}tr{break-inside:avoid}\n"
	      "</style></head><body>\n<h1>",
	      f);
	svg_text(f, title);
	fputs("</h1>\n", f);
}

void html_end(FILE *f)
{
	fputs("</body></html>\n", f);
}

void html_heading(FILE *f, const char *text, const char *id)
{
	fputs("<h2", f);
	if (id) {
		fputs(" id=\"", f);
		svg_text(f, id);
		fputc('"', f);
	}
	fputc('>', f);
	svg_text(f, text);
	fputs("</h2>\n", f);
}

void html_paragraph(FILE *f, const char *text)
{
	fputs("<p>", f);
	svg_text(f, text);
	fputs("</p>\n", f);
}

void html_pre(FILE *f, const char *text)
{
	fputs("<pre>", f);
	svg_text(f, text);
	fputs("</pre>\n", f);
}

static void element(FILE *f, const char *tag, const char *text)
{
	fprintf(f, "<%s>", tag);
	svg_text(f, text ? text : "");
	fprintf(f, "</%.2s>", tag);
}

void html_table(FILE *f, const char *const *column, size_t n_columns,
		const char *const *cell, size_t n_rows)
{
	fputs("<div class=\"wide\"><table><thead><tr>", f);
	for (size_t i = 0; i < n_columns; i++)
		element(f, "th", column[i]);
	fputs("</tr></thead><tbody>\n", f);
	for (size_t r = 0; r < n_rows; r++) {
		fputs("<tr>", f);
		for (size_t i = 0; i < n_columns; i++)
			element(f, i ? "td" : "th", cell[r * n_columns + i]);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

/* ---- JSON ---- */

static void scalar(FILE *f, const json_t *v)
{
	char number[NUMBER_SIZE];
	switch (json_typeof(v)) {
	case JSON_STRING:
		svg_text(f, json_string_value(v));
		break;
	case JSON_INTEGER:
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		break;
	case JSON_REAL:
		number_format(number, json_real_value(v));
		fputs(number, f);
		break;
	case JSON_TRUE:
		fputs("true", f);
		break;
	case JSON_FALSE:
		fputs("false", f);
		break;
	default:
		fputs("null", f);
	}
}

static int is_scalar(const json_t *v)
{
	return !json_is_object(v) && !json_is_array(v);
}

/* All objects, all with the keys of the first in the same order. */
static int is_table(const json_t *array)
{
	const json_t *first = json_array_get(array, 0);
	if (!json_is_object(first))
		return 0;
	for (size_t i = 1; i < json_array_size(array); i++) {
		json_t *row = json_array_get(array, i);
		json_t *head = json_array_get(array, 0);
		if (!json_is_object(row) ||
		    json_object_size(row) != json_object_size(first))
			return 0;
		void *a = json_object_iter(head), *b = json_object_iter(row);
		for (; a && b; a = json_object_iter_next(head, a),
			       b = json_object_iter_next(row, b))
			if (strcmp(json_object_iter_key(a),
				   json_object_iter_key(b)) != 0)
				return 0;
	}
	return 1;
}

static void cell(FILE *f, const json_t *v)
{
	fputs(json_is_string(v) || !is_scalar(v) ? "<td class=\"w\">" : "<td>",
	      f);
	html_json(f, v);
	fputs("</td>", f);
}

static void rows(FILE *f, const json_t *array)
{
	json_t *first = json_array_get(array, 0);
	const char *key;
	json_t *v;
	fputs("<table><thead><tr>", f);
	json_object_foreach(first, key, v) element(f, "th", key);
	fputs("</tr></thead><tbody>\n", f);
	for (size_t i = 0; i < json_array_size(array); i++) {
		fputs("<tr>", f);
		json_object_foreach(json_array_get(array, i), key, v)
		    cell(f, v);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table>\n", f);
}

static void members(FILE *f, const json_t *object)
{
	const char *key;
	json_t *v;
	fputs("<table><tbody>\n", f);
	/* jansson's iterator takes no const, and changes nothing. */
	json_object_foreach((json_t *)(uintptr_t)object, key, v)
	{
		fputs("<tr>", f);
		element(f, "th", key);
		cell(f, v);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table>\n", f);
}

void html_json(FILE *f, const json_t *v)
{
	if (is_scalar(v)) {
		scalar(f, v);
	} else if (json_is_object(v)) {
		members(f, v);
	} else if (is_table(v)) {
		rows(f, v);
	} else {
		for (size_t i = 0; i < json_array_size(v); i++) {
			fputs(i ? ", " : "", f);
			html_json(f, json_array_get(v, i));
		}
	}
}

void html_fold_begin(FILE *f, const char *summary, int open)
{
	fputs(open ? "<details open><summary>" : "<details><summary>", f);
	svg_text(f, summary);
	fputs("</summary>\n", f);
}

void html_fold_end(FILE *f)
{
	fputs("</details>\n", f);
}
