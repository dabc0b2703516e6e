/* The cursor takes what jansson takes, and nothing else. */
#include <jansson.h>
#include "base/json/json_cursor.h"
#include "tap.h"

static int takes(const char *s, size_t n)
{
	struct json_cursor j;
	jc_begin(&j, s, n);
	if (jc_peek(&j) != '{' && jc_peek(&j) != '[')
		return 0;
	jc_skip(&j);
	return jc_end(&j);
}

/* Agrees with jansson, or jansson minds how large a number is. */
static int agrees(const char *s, size_t n)
{
	json_error_t e;
	json_t *j = json_loadb(s, n, 0, &e);
	int same = takes(s, n) == (j != NULL) || strstr(e.text, "too big") ||
		   strstr(e.text, "real number overflow");
	json_decref(j);
	return same;
}

static const char *const text[] = {
    "{}",
    "[]",
    "",
    " ",
    "1",
    "[1",
    "[1]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[01]",
    "[-]",
    "[-0]",
    "[-1.5e+3]",
    "[1.]",
    "[.5]",
    "[1e]",
    "[1E5]",
    "[+1]",
    "[0x1]",
    "[1.5.2]",
    "[NaN]",
    "[Infinity]",
    "[nul]",
    "[null]",
    "[nullx]",
    "[true,false]",
    "{\"a\":1}",
    "{\"a\" : 1 , \"b\":[{}]}",
    "{a:1}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\":1 \"b\":2}",
    "[\"\\n\\\"\\\\\\/\\b\\f\\r\\t\"]",
    "[\"\\x\"]",
    "[\"\\u12\"]",
    "[\"\\u0000\"]",
    "[\"\\u00e9\"]",
    "[\"\\ud83d\\ude00\"]",
    "[\"a\\uD800\\uDC00\\u07ff\\u0800\\uffff\\udbff\\udfff\\u007fz\"]",
    "[\"\\ud83d\"]",
    "[\"\\ud83dx\"]",
    "[\"\\ude00\"]",
    "[\"\\ud83d\\u0041\"]",
    "[\"\\ud83d\\n\"]",
    "[\"a\nb\"]",
    "[\"\t\"]",
    "[\"\xc3\xa9\"]",
    "[\"\xc3\"]",
    "[\"\xa9\"]",
    "[\"\xc0\xaf\"]",
    "[\"\xed\xa0\x80\"]",
    "[\"\xf0\x9f\x98\x80\"]",
    "[\"\xf4\x90\x80\x80\"]",
    "[\"\xf5\x80\x80\x80\"]",
    "[\"abc",
    "[\"abc\\",
    "{\"a\":[1,2,{\"b\":[]}]}",
    "[1]x",
    "[1] ",
    "[1]\n\n",
    "// no\n[1]",
    "[1, ..., 2]",
    "[\x01]",
    "[123456789012345678901234567890]",
    "[1e400]",
    "{\"\\u0000\":1}",
};
enum { N_TEXTS = sizeof text / sizeof *text };

/* Every text with every byte changed to one of some, or left out. */
static int mutations(int *n)
{
	static const char other[] = "\"\\{}[],:0-.eu \n\xc3\x80t";
	char copy[100];
	int bad = 0;
	for (int i = 0; i < N_TEXTS; i++) {
		size_t len = strlen(text[i]);
		for (size_t at = 0; at < len; at++)
			for (size_t k = 0; k < sizeof other; k++, ++*n) {
				size_t m = len;
				memcpy(copy, text[i], len);
				if (other[k])
					copy[at] = other[k];
				else
					memmove(copy + at, copy + at + 1,
						m-- - at - 1);
				if (!agrees(copy, m) && bad++ < 5)
					printf("# %.*s\n", (int)m, copy);
			}
	}
	return bad;
}

/* A list's first string; other texts are none. */
static int decodes(const char *s)
{
	struct json_cursor j;
	struct span raw;
	char to[100];
	json_t *doc = json_loads(s, 0, NULL);
	const char *want = json_string_value(json_array_get(doc, 0));
	int good = 1;
	if (want) {
		jc_begin(&j, s, strlen(s));
		jc_enter(&j, '[');
		jc_element(&j);
		good = jc_string(&j, &raw);
		size_t n = jc_decode(raw, to);
		good &= n <= raw.n && n == strlen(want) && !memcmp(to, want, n);
	}
	json_decref(doc);
	return good;
}

static void as_jansson(void)
{
	int bad = 0, n = 0;
	for (int i = 0; i < N_TEXTS; i++) {
		size_t len = strlen(text[i]);
		if (!agrees(text[i], len) && ++bad)
			printf("# %s\n", text[i]);
	}
	ok(bad == 0, "%d texts as jansson does", N_TEXTS);
	bad = 0;
	for (int i = 0; i < N_TEXTS; i++)
		bad += !decodes(text[i]);
	ok(bad == 0, "their strings are decoded as jansson does");
	bad = mutations(&n);
	ok(bad == 0, "and %d mutations of them (%d differ)", n, bad);
}

static void values(void)
{
	struct json_cursor j;
	struct span key, s;
	const char *line = "{\"n\": -1.5e3, \"list\": [7, 8], \"x\": NaN, "
			   "\"t\": \"a\\\"b\"}";
	jc_begin(&j, line, strlen(line));
	j.numpy = 1;
	ok(jc_enter(&j, '{') && jc_key(&j, &key) && span_is(key, "n") &&
	       jc_peek(&j) == '0' && jc_number(&j, &s) && span_is(s, "-1.5e3"),
	   "a number as it stands");
	ok(jc_key(&j, &key) && jc_enter(&j, '[') && jc_element(&j) &&
	       jc_number(&j, &s) && span_is(s, "7") && jc_element(&j) &&
	       jc_skip(&j) && !jc_element(&j) && !j.why,
	   "a list");
	ok(jc_key(&j, &key) && jc_peek(&j) == '0' && jc_number(&j, &s) &&
	       s.n == 0,
	   "NaN, where it is let pass, is a number without digits");
	ok(jc_key(&j, &key) && jc_string(&j, &s) && span_is(s, "a\\\"b"),
	   "a text as it stands");
	ok(!jc_key(&j, &key) && jc_end(&j), "the end");
}

static void faults(void)
{
	struct json_cursor j;
	jc_begin(&j, "[1,\n x]", 7);
	ok(jc_enter(&j, '[') && jc_element(&j) && jc_skip(&j) &&
	       jc_element(&j) && !jc_skip(&j) && j.at && *j.at == 'x' &&
	       !jc_element(&j) && !jc_end(&j),
	   "a fault is pointed at, and nothing follows it");
	is(j.why, "not JSON: a value expected", "and named");
	char deep[3000];
	memset(deep, '[', sizeof deep);
	jc_begin(&j, deep, sizeof deep);
	ok(!jc_skip(&j) && !strcmp(j.why, "nested too deep"),
	   "depth is limited");
}

static void depth(void)
{
	static const struct {
		const char *text;
		int want;
	} of[] = {{"7", 0},
		  {"[1, {\"a\": []}, {}]", 3},
		  {"[\"[[[\", \"\\\"[[\", 1]", 1},
		  {"]]][[", 0},
		  {"[][][]", 1}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		ok(json_depth(of[i].text, strlen(of[i].text)) == of[i].want,
		   "%s is %d deep", of[i].text, of[i].want);
}

int main(void)
{
	depth();
	as_jansson();
	values();
	faults();
	return done();
}
