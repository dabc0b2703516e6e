#include "base/json/json_writer.h"
#include <jansson.h>
#include "tap.h"

static char *text;
static size_t size;

static void finish(struct jw *j)
{
	jw_finish(j);
	fclose(j->f);
}

static struct jw start(void)
{
	struct jw j;
	free(text);
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("open_memstream");
	jw_start(&j, f);
	return j;
}

static void document(void)
{
	struct jw j = start();
	jw_object(&j, NULL);
	jw_text(&j, "a", "x");
	jw_array(&j, "b");
	jw_int(&j, NULL, -1);
	jw_uint(&j, NULL, UINT64_MAX);
	jw_end(&j);
	jw_flat_object(&j, "c");
	jw_number(&j, "n", 0.1);
	jw_flat_array(&j, "v");
	jw_bool(&j, NULL, 1);
	jw_null(&j, NULL);
	jw_end(&j);
	jw_end(&j);
	jw_object(&j, "d");
	jw_end(&j);
	jw_number(&j, "e", NAN);
	jw_end(&j);
	finish(&j);
	is(text,
	   "{\n  \"a\": \"x\",\n  \"b\": [\n    -1,\n    18446744073709551615\n"
	   "  ],\n  \"c\": {\"n\": 0.1, \"v\": [true, null]},\n  \"d\": {},\n"
	   "  \"e\": null\n}\n",
	   "nested, flat, empty, not finite");
}

/* What a reader makes of it. */
static void texts(const char *given, const char *want)
{
	struct jw j = start();
	jw_flat_array(&j, NULL);
	jw_text(&j, NULL, given);
	jw_end(&j);
	finish(&j);
	json_error_t e;
	json_t *doc = json_loads(text, 0, &e);
	if (ok(doc != NULL, "can be read: %s", doc ? "yes" : e.text))
		is(json_string_value(json_array_get(doc, 0)), want,
		   "and is the same");
	json_decref(doc);
}

int main(void)
{
	document();
	texts("a\"b\\c\n\t\r\001\177/", "a\"b\\c\n\t\r\001\177/");
	texts("µ 漢 😀", "µ 漢 😀");
	texts("\u200b \U000e0001", "\u200b \U000e0001");
	texts("x\xff\xc3", "x\xef\xbf\xbd\xef\xbf\xbd");
	texts("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	texts("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
	struct jw j = start();
	jw_text(&j, NULL, NULL);
	finish(&j);
	is(text, "null\n", "no text");
	free(text);
	return done();
}
