/* Texts as words of YAML.  t/report/recommend/deploy.c reads them back with a
 * parser. */
#include "base/yaml_text.h"
#include <stdlib.h>
#include "tap.h"

static const char *quoted(const char *s)
{
	static char *text;
	size_t n;
	free(text);
	FILE *m = open_memstream(&text, &n);
	if (!m)
		bail_out("no memory");
	yaml_text(m, s);
	fclose(m);
	return text;
}

int main(void)
{
	is(quoted(""), "\"\"", "empty");
	is(quoted("a: b #c - 'd' {e} no"), "\"a: b #c - 'd' {e} no\"",
	   "signs of YAML");
	is(quoted("\"\\\n\t"), "\"\\\"\\\\\\u000a\\u0009\"", "escapes");
	is(quoted("\x7f\xc2\x85\xe2\x80\xa8\xef\xbb\xbf"),
	   "\"\\u007f\\u0085\\u2028\\ufeff\"", "what a parser refuses");
	is(quoted("\xe2\x80\xa9"), "\"\\u2029\"", "another end of a line");
	is(quoted("\xc3\xa9\xe4\xb8\xad"), "\"\xc3\xa9\xe4\xb8\xad\"",
	   "letters");
	is(quoted("\xf0\x9f\x98\x80"), "\"\\U0001f600\"", "beyond 16 bits");
	is(quoted("a\xff"
		  "b"),
	   "\"a\\ufffdb\"", "no UTF-8");
	return done();
}
