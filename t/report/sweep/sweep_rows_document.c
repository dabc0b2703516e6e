/* Rows of a sweep as a document: columns that say something, a failed row with
 * its reason, each warning once. */
#include "report/sweep/sweep_rows_document.h"
#include "rendered.h"
#include "stored.h"

static void add(struct store *s, const char *point, enum store_status status,
		const char *warning, const char *saturation)
{
	double number[STORE_NUMBERS];
	const char *text[STORE_TEXTS] = {saturation, NULL};
	for (size_t i = 0; i < STORE_NUMBERS; i++)
		number[i] = 12.5;
	const struct store_row row = {
	    .point = point,
	    .axis = (const char *const[]){point + 1, "x"},
	    .arm = "b",
	    .seed = 1,
	    .key = "key",
	    .status = status,
	    .error = status == STATUS_OK ? NULL : "it does not fit",
	    .warning = warning,
	    .number = status == STATUS_OK ? number : NULL,
	    .text = status == STATUS_OK ? text : NULL,
	    .host = "host",
	};
	if (store_add(s, &row, &why) < 0)
		bail_out(why.text);
}

/* Returns the text of rows for which `where` holds. */
static const char *text_of(const char *path, const char *where)
{
	struct document d = {0};
	struct store *s = store_open(path, STORE_READ, &why);
	struct reader *r = s ? reader_open(s, where, NULL, &why) : NULL;
	if (!r || sweep_rows_document(&d, r, &why) < 0)
		bail_out(why.text);
	document_text(&d, IN_SHORT, rendered_begin());
	const char *text = rendered_end();
	document_free(&d);
	reader_close(r);
	stored_close(s);
	return text;
}

int main(void)
{
	scratch_open();
	struct store *s = stored_open("rows.db");
	add(s, "p1", STATUS_OK, "a guess", "stable");
	add(s, "p2", STATUS_REFUSED, "a guess", NULL);
	add(s, "p3", STATUS_OK, "another", "overloaded");
	stored_close(s);
	const char *path = scratch_path("rows.db");
	const char *text = text_of(path, NULL);
	ok(*text != '\n', "no blank line comes first");
	rendered_has(text, "x  b    refused: it does not fit  [1]\n");
	rendered_has(text, "\n\n[1] warning: a guess\n[2] warning: another\n");
	rendered_has(text, "  [2]\n");
	rendered_has(text, "12.5!");
	rendered_has(text, "p99_ttft_ms");
	rendered_has(text, "overloaded");
	rendered_lacks(text, "seed");
	text = text_of(path, "status == \"refused\"");
	rendered_lacks(text, "ttft");
	rendered_has(text, "refused: it does not fit  [1]\n");
	text = text_of(path, "max_num_seqs < 3");
	rendered_lacks(text, "stable");
	is(text_of(path, "0"), "no rows\n", "no rows are a sentence");
	return done();
}
