/* A document as short text, as full text and as a page. */
#include "report/document.h"
#include <stdlib.h>
#include <string.h>
#include "document_asked.h"
#include "rendered.h"

static void fill(struct document *d)
{
	struct columns c = {.n_groups = 1, .per_group = 2};
	*d = (struct document){
	    .title = "A title", .command = "stepcost x", .in = IN_ALL};
	names_add(&d->arms, "one");
	document_ask(d, "What is %s?", "it");
	document_answer(d, "The answer is %d.", 42);
	document_answer(d, "%s", "");
	document_answer(d, "It is <certain>.");
	document_heading(d, "A heading");
	columns_row(&c, "metric");
	columns_cell(&c, 0, 0, "one");
	columns_cell(&c, 0, 1, "unused");
	columns_metric(&c, "mean_ttft_ms", "");
	columns_number(&c, 0, 0, 12.5, 1, "");
	document_table(d, &c);
	ok(c.n_rows == 0 && !c.cell, "a table is moved");
	document_say(d, "A remark.");
	d->in = IN_SHORT;
	document_say(d, "A hint.");
	d->in = IN_DETAILS;
	document_own(d, DOCUMENT_FACT, "model", strdup("llama"));
	document_own(d, DOCUMENT_FACT, "GPU", strdup("h100"));
	document_own(d, DOCUMENT_SENTENCE, NULL, strdup(""));
	document_heading(d, "Nothing below");
	d->in = IN_PAGE;
	document_heading(d, "A figure");
	FILE *f = document_write(d);
	fputs("<svg></svg>", f);
	document_written(d, DOCUMENT_FIGURE);
	const struct dots_row row = {.name = "a dot", .at = 1};
	const struct dots dots[] = {{"left", &row, 1}, {"right", &row, 1}};
	document_dots(d, &dots[0]);
	document_dots(d, &dots[1]);
	document_subheading(d, "Lines");
	document_say(d, "One line.\nAnother.");
}

static void as_text(const struct document *d)
{
	document_text(d, IN_SHORT, rendered_begin());
	is(rendered_end(),
	   "The answer is 42.\nIt is <certain>.\n\nA heading\n"
	   "metric         one\nmean_ttft_ms  12.5\n\nA remark.\nA hint.\n",
	   "the answer, then the table");
	document_text(d, IN_FULL, rendered_begin());
	is(rendered_end(),
	   "The answer is 42.\nIt is <certain>.\n\nA heading\n"
	   "metric         one\nmean_ttft_ms  12.5\n\nA remark.\n\n"
	   "model  llama\nGPU    h100\n",
	   "with the details, without the hint");
}

static void as_remarks(const struct document *d)
{
	document_remarks(d, IN_SHORT, rendered_begin());
	is(rendered_end(),
	   "; The answer is 42.\n; It is <certain>.\n;\n; A heading\n"
	   "; metric         one\n; mean_ttft_ms  12.5\n;\n; A remark.\n"
	   "; A hint.\n",
	   "remarks of an INI");
}

static void as_page(const struct document *d)
{
	struct problem p;
	ok(document_html(d, rendered_begin(), &p) == 0, "a page");
	const char *page = rendered_end();
	const char *question = strstr(page, "<p>What is it?</p>");
	const char *command = strstr(page, "$ stepcost x</pre>");
	const char *answer =
	    strstr(page, "<p class=\"head\">The answer is 42.</p>");
	ok(question && command && answer && question < command &&
	       command < answer && strstr(page, "<table") > answer,
	   "question, command, answer, and only then the rest");
	rendered_has(page, "<p>It is &lt;certain&gt;.</p>");
	rendered_has(page, "<th scope=\"row\">TTFT mean, ms</th><td "
			   "data-l=\"one\">12.5</td></tr>");
	rendered_has(page, "<dt>model</dt><dd>llama</dd>\n<dt>GPU</dt>");
	rendered_has(page, "<svg></svg>");
	rendered_has(page, "background:var(--s0)\"></i>one</th>");
	rendered_lacks(page, "A hint.");
	rendered_lacks(page, "Nothing below");
	rendered_has(page, "A figure</h2>");
	rendered_lacks(page, "unused");
	ok(rendered_count("<div class=\"row\">") == 1 &&
	       rendered_count("a dot") == 2,
	   "tiles stand side by side");
	rendered_has(page, "<h3>Lines</h3>\n<p>One line.</p>\n<p>Another.");
}

static void asked(const struct document *d)
{
	const struct columns *c = document_find(d, "metric");
	ok(c && columns_at(c, 1)[1].value == 12.5, "a table is found");
	ok(!document_find(d, "none"), "or is not there");
	ok(document_says(d, IN_SHORT, "A hint") &&
	       !document_says(d, IN_PAGE, "A hint"),
	   "what is said where");
	ok(document_says(d, IN_PAGE, "answer is 42") &&
	       document_says(d, IN_PAGE, "12.5"),
	   "in the answer and in tables, too");
}

int main(void)
{
	struct document d;
	fill(&d);
	as_text(&d);
	as_remarks(&d);
	as_page(&d);
	asked(&d);
	document_own(&d, DOCUMENT_SENTENCE, NULL, NULL);
	struct problem p;
	ok(document_html(&d, rendered_begin(), &p) < 0,
	   "without memory there is no page");
	rendered_end();
	document_free(&d);
	return done();
}
