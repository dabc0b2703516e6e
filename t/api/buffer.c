/* Texts that grow, and JSON strings. */
#include "api/buffer.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

int main(void)
{
	struct buffer b = {0};
	buffer_json(&b, "a\"b\\\n\x01\xc3\xa9", 8);
	buffer_json(&b, NULL, 0);
	is(b.s, "\"a\\\"b\\\\\\n\\u0001\xc3\xa9\"null", "escapes");
	b.n = 0;
	for (int i = 0; i < 1000; i++)
		buffer_say(&b, "%d,", i);
	ok(b.n == 3890 && !strcmp(b.s + b.n - 4, "999,"), "it grows");
	char *text = malloc(2000);
	memset(text, 'x', 1999);
	text[1999] = '\0';
	b.n = 0;
	buffer_say(&b, "<%s>", text);
	ok(b.n == 2001 && b.s[2000] == '>', "a long text");
	free(text);
	buffer_free(&b);
	return done();
}
