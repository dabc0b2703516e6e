/* Requests that cannot be served, counted by reason. */
#include "sim/rejections.h"
#include "tap.h"

static const char *written(const struct rejections *r)
{
	static char text[400];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		bail_out("fmemopen");
	rejections_write(r, f);
	fclose(f);
	return text;
}

int main(void)
{
	struct rejections r = {0}, other = {0};
	struct request q = {.row = 7};
	is(written(&r), "", "none");
	rejections_add(&r, REJECTED_BY_CACHE, &q);
	is(written(&r),
	   "warning: 1 request rejected: longer than the whole KV cache (the "
	   "first: "
	   "request 7)\n",
	   "one");
	for (q.row = 8; q.row < 18; q.row++)
		rejections_add(&r, REJECTED_BY_CACHE, &q);
	q = (struct request){.row = 5, .line = 9};
	rejections_add(&other, REJECTED_BY_MODEL_LENGTH, &q);
	rejections_add(&other, REJECTED_BY_CACHE, &q);
	rejections_join(&r, &other);
	is(written(&r),
	   "warning: 1 request rejected: longer than max_model_len (the first: "
	   "request "
	   "5, line 9)\n"
	   "warning: 12 requests rejected: longer than the whole KV cache (the "
	   "first: "
	   "request 7)\n",
	   "a line for each reason, with the first that was seen");
	return done();
}
