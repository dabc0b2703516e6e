/* What differs between two documents is named, and counted. */
#include "report/difference.h"
#include "tap.h"

static void differ(const char *a, const char *b, long want, const char *says)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	long got = difference_write(a, b, 2, f);
	fclose(f);
	ok(got == want, "%s, %s: %ld", a, b, got);
	is(text, says, "as it says");
	free(text);
}

int main(void)
{
	differ("{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,2], \"a\":1}", 0, "");
	differ("{\"a\":1.5}", "{\"a\":1.25}", 1, "a: 1.25, was 1.5\n");
	differ("{\"a\":{\"b\":[1,2]}}", "{\"a\":{\"b\":[1]}}", 1,
	       "a.b.1: missing, was 2\n");
	differ("{\"a\":1}", "{\"a\":1,\"c\":\"x\"}", 1,
	       "c: \"x\", was missing\n");
	differ("{\"a\":1,\"b\":1,\"c\":1,\"d\":1}",
	       "{\"a\":2,\"b\":2,\"c\":2,\"d\":1}", 3,
	       "a: 2, was 1\nb: 2, was 1\nand 1 others\n");
	differ("{\"identity\":1,\"x\":{\"elapsed\":2}}",
	       "{\"identity\":2,\"x\":{\"elapsed\":3}}", 0, "");
	differ("{\"a\":[1]}", "{\"a\":{}}", 1, "a: {}, was [1]\n");
	differ("{", "{}", -1, "");
	return done();
}
