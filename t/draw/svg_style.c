/* The style of figures: each colour for light and for dark, from nowhere else.
 */
#include "draw/svg.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static char *css;

static int count(const char *needle)
{
	int n = 0;
	for (const char *s = css; (s = strstr(s, needle)); s++)
		n++;
	return n;
}

int main(void)
{
	size_t size;
	FILE *f = open_memstream(&css, &size);
	if (!f)
		bail_out("open_memstream");
	svg_css(f);
	fclose(f);
	ok(count("--s0:") == 3 && count("--s9:") == 3 && count("--paper:") == 3,
	   "colours for light, dark and paper");
	ok(count("prefers-color-scheme:dark") == 1 &&
	       count("@media print") == 1,
	   "the reader's system chooses");
	ok(count(".s9{") == 1 && count(".p9{") == 1 && count(".f9{") == 1,
	   "a line, a point and an area for each colour");
	ok(count("{") == count("}"), "braces are closed");
	ok(!count("url(") && !count("@import"), "nothing from outside");
	free(css);
	return done();
}
