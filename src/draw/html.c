/* html.c -- Writes the frame, the text and the tables of a page. */
#include <config.h>
#include "draw/html.h"
#include <stdint.h>
#include <string.h>
#include "base/number.h"
#include "draw/svg.h"

static void element(FILE *f, const char *tag, const char *text)
{
	fprintf(f, "<%s>", tag);
	svg_text(f, text ? text : "");
	fprintf(f, "</%.2s>", tag);
}

static void css(FILE *f)
{
	fputs(":root{color-scheme:light dark;--paper:#fff;--soft:#f3f3f3}\n"
	      "@media(prefers-color-scheme:dark){:root{--paper:#181818;"
	      "--soft:#262626}}\n"
	      "body{font:15px/1.45 sans-serif;max-width:72rem;margin:1rem auto;"
	      "padding:0 1rem;background:var(--paper);color:var(--ink)}\n"
	      "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}"
	      "h3{font-size:1rem;margin-bottom:.2rem}\n"
	      "dl{display:grid;grid-template-columns:max-content 1fr;"
	      "gap:.1rem .8rem}dt{font-weight:bold}"
	      "dd{margin:0;overflow-wrap:anywhere}\n"
	      ".say{list-style:none;margin:1rem 0;padding:.5rem .8rem;"
	      "background:var(--soft);border-left:.3rem solid var(--ink)}"
	      ".say li+li{margin-top:.4rem}\n"
	      ".row{display:grid;gap:0 1.5rem;grid-template-columns:"
	      "repeat(auto-fill,minmax(min(100%,21rem),1fr))}\n"
	      ".wide{overflow-x:auto}table{border-collapse:collapse;"
	      "margin:.4rem 0;font-variant-numeric:tabular-nums}\n"
	      "th,td{padding:.15rem .6rem;border-bottom:1px solid var(--grid);"
	      "text-align:right;vertical-align:top}"
	      "th:first-child,td.w{text-align:left}"
	      "thead th{background:var(--soft)}\n"
	      "td>table{margin:0}summary{cursor:pointer;font-weight:bold}"
	      "pre{overflow-x:auto}tr{break-inside:avoid}\n"
	      /* On a phone a row becomes a block: its name, then the cells with
	       * the names of their columns. */
	      "@media(max-width:600px){.t thead{display:none}"
	      ".t,.t tbody,.t th{display:block}"
	      ".t tr{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.3rem 0;"
	      "border-bottom:1px solid var(--grid)}"
	      ".t th{flex:0 0 100%}.t th,.t td{border:0;padding:0}"
	      ".t td:empty{display:none}"
	      ".t td::before{content:attr(data-l) \"\\a0\";opacity:.75}}\n"
	      "@media print{:root{color-scheme:light;--paper:#fff;"
	      "--soft:#fff}body{max-width:none}details{display:none}"
	      ".wide{overflow:visible}table{font-size:.75rem}"
	      "th,td{padding:.1rem .3rem}}\n",
	      f);
}

void html_begin(FILE *f, const char *title)
{
	fputs(
	    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	    "<meta name=\"viewport\" content=\"width=device-width\">"
	    "<link rel=\"icon\" href=\"data:,\"><title>",
	    f);
	svg_text(f, title);
	fputs("</title>\n<style>\n", f);
	svg_css(f);
	css(f);
	fputs("</style></head><body>\n<h1>", f);
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

void html_subheading(FILE *f, const char *text)
{
	fputs("<h3>", f);
	svg_text(f, text);
	fputs("</h3>\n", f);
}

void html_facts(FILE *f, const char *const *name, const char *const *text,
		size_t n)
{
	fputs("<dl>\n", f);
	for (size_t i = 0; i < n; i++) {
		element(f, "dt", name[i]);
		element(f, "dd", text[i]);
		fputc('\n', f);
	}
	fputs("</dl>\n", f);
}

void html_verdicts_begin(FILE *f)
{
	fputs("<ul class=\"say\">\n", f);
}

void html_verdict(FILE *f, const char *text)
{
	element(f, "li", text);
	fputc('\n', f);
}

void html_verdicts_end(FILE *f)
{
	fputs("</ul>\n", f);
}

void html_row_begin(FILE *f)
{
	fputs("<div class=\"row\">\n", f);
}

void html_row_end(FILE *f)
{
	fputs("</div>\n", f);
}

void html_pre(FILE *f, const char *text)
{
	fputs("<pre>", f);
	svg_text(f, text);
	fputs("</pre>\n", f);
}

void html_paragraph(FILE *f, const char *text)
{
	fputs("<p>", f);
	svg_text(f, text);
	fputs("</p>\n", f);
}

/* Writes a cell with the name of its column, for screens that do not show the
 * header of the table. */
static void named_cell(FILE *f, const char *column, const char *text)
{
	fputs("<td data-l=\"", f);
	svg_text(f, column ? column : "");
	fputs("\">", f);
	svg_text(f, text ? text : "");
	fputs("</td>", f);
}

void html_table(FILE *f, const char *const *column, size_t n_columns,
		const char *const *cell, size_t n_rows)
{
	fputs("<div class=\"wide\"><table class=\"t\"><thead><tr>", f);
	for (size_t i = 0; i < n_columns; i++)
		element(f, "th", column[i]);
	fputs("</tr></thead><tbody>\n", f);
	for (size_t r = 0; r < n_rows; r++) {
		fputs("<tr>", f);
		element(f, "th", cell[r * n_columns]);
		for (size_t i = 1; i < n_columns; i++)
			named_cell(f, column[i], cell[r * n_columns + i]);
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

/* Returns 1 if all elements are objects with the keys of the first one, in the
 * same order. */
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
	/* jansson's iterator takes no const pointer, but it changes nothing. */
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
	fputs("</summary>\n<div class=\"wide\">", f);
}

void html_fold_end(FILE *f)
{
	fputs("</div></details>\n", f);
}
