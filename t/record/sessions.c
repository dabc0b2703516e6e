/* Sessions by hand: turns; and a tree with a slower branch, the critical one.
 */
#include "record/sessions.h"
#include <stdlib.h>
#include "tap.h"

static struct problem p;
static struct sessions s;

static void take(uint64_t row, int64_t came_ms, int64_t ttft_ms,
		 int64_t e2el_ms)
{
	struct request_event e = {
	    .request = {.row = row, .arrival_ns = 1000000 * came_ms},
	    .ending = e2el_ms ? REQUEST_ENDED : REQUEST_REJECTED,
	    .ttft_ns = 1000000 * ttft_ms,
	    .e2el_ns = 1000000 * e2el_ms};
	if (sessions_take(&s, &e, &p) < 0)
		bail_out(p.text);
}

static char *written(const struct session_shape *shape)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f || sessions_write(&s, shape, "a", f, &p) < 0)
		bail_out("out of memory");
	fclose(f);
	return text;
}

int main(void)
{
	/* two turns each; the second session has one */
	take(0, 0, 5, 20);
	take(1, 30, 10, 70);
	take(2, 40, 5, 0);
	char *text = written(&(struct session_shape){.turns = 2});
	is(text,
	   "a,1,2,2,0,100000000,100,2,15,0.15\n"
	   "a,2,1,0,40000000,40000000,0,1,0,0\n",
	   "turns; a rejected request takes no time");
	free(text);
	sessions_free(&s);
	/* 1 and 2 are after 0; 3 is after both, and 2 ends last; 4 is apart */
	struct tree_row row[] = {{.edges = 0},
				 {.edges = 2},
				 {.edges = 3},
				 {.edges = 4},
				 {.edges = 4, .tree = 1},
				 {.edges = 4}};
	uint32_t edge[] = {1, 2, 3, 3};
	const struct trees t = {.row = row, .n = 5, .edge = edge};
	take(4, 7, 1, 2);
	take(0, 0, 10, 20);
	take(1, 20, 3, 10);
	take(2, 20, 20, 30);
	take(3, 60, 10, 40);
	text = written(&(struct session_shape){.trees = &t});
	is(text,
	   "a,1,4,4,0,100000000,100,3,40,0.4\n"
	   "a,2,1,1,7000000,9000000,2,1,1,0.5\n",
	   "the path through the branch that ended last");
	free(text);
	sessions_free(&s);
	return done();
}
