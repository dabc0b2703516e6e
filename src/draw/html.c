/* html.c -- Writes the frame, the text and the tables of a page. */
#include "draw/html.h"
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/number.h"
#include "draw/figure.h"
#include "draw/svg.h"

static void element(FILE *f, const char *tag, const char *text)
{
	fprintf(f, "<%s>", tag);
	svg_text(f, text ? text : "");
	fprintf(f, "</%.*s>", (int)strcspn(tag, " "), tag);
}

static void css_text(FILE *f)
{
	fputs(":root{color-scheme:light dark;--soft:#f3f4f6;--faint:#5a5f66}\n"
	      "@media(prefers-color-scheme:dark){:root{--soft:#262626;"
	      "--faint:#a5a9ae}}\n"
	      "*{box-sizing:border-box}"
	      "body{font:15px/1.45 sans-serif;max-width:72rem;margin:1rem auto;"
	      "padding:0 1rem;background:var(--paper);color:var(--ink)}\n"
	      "h1{font-size:1rem;font-weight:normal;color:var(--faint);"
	      "margin:0}"
	      ".head{font-size:1.45rem;line-height:1.3;font-weight:bold;"
	      "margin:.2rem 0 .8rem;max-width:60rem;text-wrap:balance}"
	      ".cmd{white-space:pre-wrap;overflow-wrap:anywhere;"
	      "color:var(--faint);margin:.4rem 0}"
	      "h2{font-size:1.15rem;margin:2rem 0 .4rem}"
	      "h3{font-size:1rem;margin-bottom:.2rem}"
	      "p,li{max-width:60rem;overflow-wrap:break-word}\n"
	      "nav{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;"
	      "border-bottom:1px solid var(--grid);padding-bottom:.6rem}"
	      "nav a{color:inherit}\n"
	      "dl{display:grid;grid-template-columns:max-content 1fr;"
	      "gap:.1rem .8rem}dt{font-weight:bold}"
	      "dd{margin:0;overflow-wrap:anywhere}\n"
	      ".say{list-style:none;margin:1rem 0;padding:.5rem .8rem;"
	      "background:var(--soft);border-left:.3rem solid var(--ink)}"
	      ".say li+li{margin-top:.4rem}\n"
	      ".row{display:grid;gap:0 1.5rem;grid-template-columns:"
	      "repeat(auto-fill,minmax(min(100%,21rem),1fr))}\n"
	      "summary{cursor:pointer;font-weight:bold}"
	      "pre{overflow-x:auto}\n",
	      f);
}

/* Where there is little room the name of a row is above its drawing. */
static void css_dots(FILE *f)
{
	fputs(".dg{display:grid;grid-template-columns:fit-content(13rem) "
	      "minmax(6rem,1fr) max-content;gap:0 .7rem;align-items:center;"
	      "max-width:56rem}"
	      ".dn{overflow-wrap:anywhere}.dt{text-align:right;"
	      "font-variant-numeric:tabular-nums}"
	      "small{color:var(--faint);font-size:.85em}"
	      ".dv{width:100%;height:1.7rem;overflow:visible}"
	      ".da{width:100%;height:1.1rem;overflow:visible;"
	      "font:12px sans-serif;fill:var(--faint)}"
	      ".da text{text-anchor:middle}"
	      ".dl{stroke:var(--grid);stroke-width:1}"
	      ".dw{stroke-width:2.5;stroke-opacity:.75}\n"
	      "@container(max-width:520px){.dg{grid-template-columns:"
	      "minmax(0,1fr) max-content}.dn{grid-column:1/-1;"
	      "margin-top:.2rem}.dv{height:1.3rem}.de{display:none}}\n",
	      f);
}

/* On a phone a row becomes a block: its name, then the cells with the names of
 * their columns. */
static void css_tables(FILE *f)
{
	fputs(".wide{overflow-x:auto}table{border-collapse:collapse;"
	      "margin:.4rem 0;font-variant-numeric:tabular-nums}\n"
	      "th,td{padding:.15rem .6rem;border-bottom:1px solid var(--grid);"
	      "text-align:right;vertical-align:top}"
	      "th:first-child,th.w,td.w{text-align:left}"
	      "td.w{overflow-wrap:anywhere}"
	      "tbody "
	      "th{white-space:pre-wrap;overflow-wrap:anywhere;min-width:9rem}"
	      "thead th{background:var(--soft)}\n"
	      "td>table{margin:0}tr{break-inside:avoid}\n"
	      "i.c{display:inline-block;width:.7em;height:.7em;"
	      "border-radius:50%;margin-right:.35em}\n"
	      "@media(max-width:600px){.t thead{display:none}"
	      ".t,.t tbody,.t th{display:block}"
	      ".t tr{display:block;padding:.4rem 0;"
	      "border-bottom:1px solid var(--grid)}"
	      ".t th,.t td{border:0;padding:0}"
	      ".t td{display:flex;justify-content:space-between;gap:1rem;"
	      "padding-left:.8rem;overflow-wrap:anywhere}"
	      ".t td:empty{display:none}"
	      ".t td::before{content:attr(data-l);color:var(--faint);"
	      "text-align:left;flex:0 0 auto;max-width:45%}"
	      ".t th:first-child{margin-bottom:.1rem}}\n"
	      "@media print{:root{color-scheme:light;--soft:#fff}"
	      "body{max-width:none}details,nav{display:none}"
	      ".wide{overflow:visible}table{font-size:.75rem}"
	      "th,td{padding:.1rem .3rem}}\n",
	      f);
}

/* ---- the frame ---- */

int html_page_begin(struct html_page *p)
{
	*p = (struct html_page){0};
	p->f = text_open(&p->text, &p->size);
	return p->f ? 0 : -1;
}

/* Makes a list of the headings of the body: html_heading() alone writes
 * <h2>. */
static void contents(FILE *f, const char *body)
{
	static const char begin[] = "<h2 id=\"";
	fputs("<nav>", f);
	for (const char *at = body; (at = strstr(at, begin)); at++) {
		const char *id = at + sizeof begin - 1;
		const char *text = strchr(id, '>') + 1;
		fprintf(f, "<a href=\"#%.*s\">%.*s</a>\n",
			(int)(strchr(id, '"') - id), id,
			(int)(strstr(text, "</h2>") - text), text);
	}
	fputs("</nav>\n", f);
}

static void frame_begin(FILE *f, const char *title)
{
	fputs(
	    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	    "<meta name=\"viewport\" content=\"width=device-width\">"
	    "<link rel=\"icon\" href=\"data:,\"><title>",
	    f);
	svg_text(f, title);
	fputs("</title>\n<style>\n", f);
	svg_css(f);
	css_text(f);
	css_dots(f);
	css_tables(f);
	fputs("</style></head><body>\n", f);
}

/* Writes the question, the command that answers it, and the answer. */
static void head_of_page(FILE *f, const struct html_head *h)
{
	element(f, "h1", h->title);
	if (h->question)
		element(f, "p", h->question);
	if (h->command) {
		fputs("<pre class=\"cmd\">$ ", f);
		svg_text(f, h->command);
		fputs("</pre>", f);
	}
	for (size_t i = 0; i < h->n_answers; i++) {
		fputs(i ? "\n<p>" : "\n<p class=\"head\">", f);
		svg_text(f, h->answer[i]);
		fputs("</p>", f);
	}
	fputc('\n', f);
}

int html_page_end(struct html_page *p, FILE *to, const struct html_head *head)
{
	int bad = !p->f || fclose(p->f);
	if (!bad) {
		frame_begin(to, head->title);
		head_of_page(to, head);
		contents(to, p->text);
		fputs(p->text, to);
		fputs("</body></html>\n", to);
	}
	free(p->text);
	*p = (struct html_page){0};
	return bad ? -1 : 0;
}

/* ---- text ---- */

/* Writes a heading as an id: letters and digits, with - for the rest. */
static void id_of(FILE *f, const char *text)
{
	for (; *text; text++) {
		int is_plain = isalnum((unsigned char)*text);
		fputc(is_plain ? tolower((unsigned char)*text) : '-', f);
	}
}

void html_heading(FILE *f, const char *text)
{
	fputs("<h2 id=\"", f);
	id_of(f, text);
	fputs("\">", f);
	svg_text(f, text);
	fputs("</h2>\n", f);
}

void html_subheading(FILE *f, const char *text)
{
	fputs("<h3>", f);
	svg_text(f, text);
	fputs("</h3>\n", f);
}

void html_facts_begin(FILE *f)
{
	fputs("<dl>\n", f);
}

void html_fact(FILE *f, const char *name, const char *text)
{
	element(f, "dt", name);
	element(f, "dd", text);
	fputc('\n', f);
}

void html_facts_end(FILE *f)
{
	fputs("</dl>\n", f);
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
static void named_cell(FILE *f, const struct html_column *column,
		       const char *text)
{
	fputs(column->is_words ? "<td class=\"w\" data-l=\"" : "<td data-l=\"",
	      f);
	svg_text(f, column->name ? column->name : "");
	fputs("\">", f);
	svg_text(f, text ? text : "");
	fputs("</td>", f);
}

/* Writes a header, with the colour of its arm if it is the name of one. */
/* scope: what it is the header of, "col" or "row". */
static void header_cell(FILE *f, const struct html_arms *arms, const char *text,
			int is_words, const char *scope)
{
	fprintf(f, "<th%s scope=\"%s\">", is_words ? " class=\"w\"" : "",
		scope);
	for (size_t i = 0; text && i < arms->n; i++)
		if (!strcmp(arms->name[i], text)) {
			fprintf(f,
				"<i class=\"c\" style=\"background:var(--s%zu)"
				"\"></i>",
				i % FIGURE_COLOURS);
			break;
		}
	svg_text(f, text ? text : "");
	fputs("</th>", f);
}

void html_table(FILE *f, const struct html_arms *arms, const char *label,
		const struct html_column *column, size_t n_columns,
		const char *const *cell, size_t n_rows)
{
	fputs("<div class=\"wide\"><table class=\"t\"", f);
	if (label) {
		fputs(" aria-label=\"", f);
		svg_text(f, label);
		putc('"', f);
	}
	fputs("><thead><tr>", f);
	for (size_t i = 0; i < n_columns; i++)
		header_cell(f, arms, column[i].name, column[i].is_words, "col");
	fputs("</tr></thead><tbody>\n", f);
	for (size_t r = 0; r < n_rows; r++) {
		fputs("<tr>", f);
		header_cell(f, arms, cell[r * n_columns], 0, "row");
		for (size_t i = 1; i < n_columns; i++)
			named_cell(f, &column[i], cell[r * n_columns + i]);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

/* ---- JSON ---- */

/* Writes a value that is neither an object nor an array. */
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

/* Writes an array of objects as a table with a column for each member. */
static void rows(FILE *f, const json_t *array)
{
	json_t *first = json_array_get(array, 0);
	const char *key;
	json_t *v;
	fputs("<table><thead><tr>", f);
	json_object_foreach(first, key, v) element(f, "th scope=\"col\"", key);
	fputs("</tr></thead><tbody>\n", f);
	for (size_t i = 0; i < json_array_size(array); i++) {
		fputs("<tr>", f);
		json_object_foreach(json_array_get(array, i), key, v)
		    cell(f, v);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table>\n", f);
}

/* Writes an object as a table with a row for each member. */
static void members(FILE *f, const json_t *object)
{
	const char *key;
	json_t *v;
	fputs("<table><tbody>\n", f);
	/* jansson's iterator takes no const pointer, but it changes nothing. */
	json_object_foreach((json_t *)(uintptr_t)object, key, v)
	{
		fputs("<tr>", f);
		element(f, "th scope=\"row\"", key);
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
