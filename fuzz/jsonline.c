/* jsonline.c -- The JSON cursor takes what jansson takes. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "base/json/json_cursor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct json_cursor j;
	json_error_t e;
	if (memchr(s, '\0', size)) /* jansson overlooks one after a number */
		return 0;
	jc_begin(&j, s, size);
	char first = jc_peek(&j);
	int takes = (first == '{' || first == '[') && jc_skip(&j) && jc_end(&j);
	json_t *tree = json_loadb(s, size, 0, &e);
	/* Jansson minds how large a number is, and allows more depth. */
	if (takes != (tree != NULL) && !strstr(e.text, "too big") &&
	    !strstr(e.text, "real number overflow") &&
	    !(j.why && !strcmp(j.why, "nested too deep")))
		abort();
	json_decref(tree);
	return 0;
}
