/* A page: whole, escaped, and with every number of the JSON it shows. */
#include "draw/html.h"
#include "tap.h"

static char *page;
static size_t length;

static void show(const char *json)
{
	json_error_t e;
	json_t *v = json_loads(json, 0, &e);
	if (!v)
		bail_out(e.text);
	free(page);
	FILE *f = open_memstream(&page, &length);
	if (!f)
		bail_out("open_memstream");
	struct html_page p;
	if (html_page_begin(&p) < 0)
		bail_out("html_page_begin");
	html_heading(p.f, "Numbers & more");
	html_heading(p.f, "Rest");
	html_json(p.f, v);
	const char *const answer[] = {"1 & 2", "more"};
	const struct html_head head = {"a < b", "why?", "run x", answer, 2};
	ok(html_page_end(&p, f, &head) == 0, "a page");
	fclose(f);
	json_decref(v);
}

static int has(const char *s)
{
	return strstr(page, s) != NULL;
}

int main(void)
{
	show("{\"a\": 0.1, \"n\": 9007199254740993, \"s\": \"x<y\","
	     " \"list\": [1.5, 2], \"no\": null, \"yes\": true}");
	ok(has("<title>a &lt; b</title>") && has("<h1>a &lt; b</h1>"),
	   "the title is escaped");
	ok(has("<p>why?</p><pre class=\"cmd\">$ run x</pre>\n"),
	   "the question, then the command");
	ok(has("<p class=\"head\">1 &amp; 2</p>\n<p>more</p>\n<nav>") &&
	       has("<a href=\"#numbers---more\">Numbers &amp; more</a>\n"
		   "<a href=\"#rest\">Rest</a>\n</nav>") &&
	       has("<h2 id=\"numbers---more\">"),
	   "the headline, then the contents");
	ok(has("<th scope=\"row\">a</th><td>0.1</td>"),
	   "a double, as written everywhere");
	ok(has("9007199254740993"), "an integer beyond 2^53");
	ok(has("x&lt;y") && has("1.5, 2") && has("null") && has("true"),
	   "text, a list of numbers, null, true");
	ok(!has("http://") && !has("https://") && !has("<script"),
	   "nothing from outside, no script");
	show("[{\"arm\": \"a\", \"ms\": 1.25}, {\"arm\": \"b\", \"ms\": 2}]");
	ok(has("<thead><tr><th scope=\"col\">arm</th>"
	       "<th scope=\"col\">ms</th></tr></thead>") &&
	       has("<tr><td class=\"w\">b</td><td>2</td></tr>"),
	   "alike objects become one table");
	show("[{\"arm\": \"a\"}, {\"ms\": 2}]");
	ok(!has("<thead>"), "unlike ones do not");
	const struct html_column column[] = {{"metric", 0}, {"a", 0}};
	const char *const cell[] = {"ttft", "1", "tpot", NULL};
	free(page);
	FILE *f = open_memstream(&page, &length);
	if (!f)
		bail_out("open_memstream");
	const char *const name[] = {"ttft", "a"};
	const struct html_arms arms = {name, 2};
	html_table(f, &arms, "Times", column, 2, cell, 2);
	fclose(f);
	ok(has("<i class=\"c\" style=\"background:var(--s1)\"></i>a</th>") &&
	       has("var(--s0)\"></i>ttft</th>"),
	   "arms have their colours");
	ok(has("<th scope=\"row\">tpot</th><td data-l=\"a\"></td>"),
	   "an empty cell");
	ok(has("<td data-l=\"a\">1</td>"), "a cell knows its column");
	free(page);
	return done();
}
