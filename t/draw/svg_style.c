/* The style of figures: each colour for light and for dark, from nowhere else.
 */
#include "draw/svg.h"
#include "rendered.h"

int main(void)
{
	svg_css(rendered_begin());
	rendered_end();
	ok(rendered_count("--s0:") == 3 && rendered_count("--s9:") == 3 &&
	       rendered_count("--paper:") == 3,
	   "colours for light, dark and paper");
	ok(rendered_count("prefers-color-scheme:dark") == 1 &&
	       rendered_count("@media print") == 1,
	   "the reader's system chooses");
	ok(rendered_count(".s9{") == 1 && rendered_count(".p9{") == 1 &&
	       rendered_count(".f9{") == 1,
	   "a line, a point and an area for each colour");
	ok(rendered_count("{") == rendered_count("}"), "braces are closed");
	ok(!rendered_count("url(") && !rendered_count("@import"),
	   "nothing from outside");
	return done();
}
