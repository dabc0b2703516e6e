/* Which rows of a trace wait for which, and when they are free to come. */
#include "workload/trees.h"
#include "trace_read.h"

/* Rows of "id after after@delay", one a line; no `after`: a root at that time
 * in us. */
static struct trees s;

static int read_trees(const char *text, int by_time)
{
	struct trace_options o = {.format = "stepcost", .chars_per_token = 4};
	struct trace_row row;
	uint64_t n = 0;
	file("trace", text);
	struct trace *t = trace_open(path("trace"), &o, &p);
	int rc = t ? 0 : -1;
	while (t && trace_next(t, &row, &p) == 1)
		n++;
	if (rc == 0 && trace_rewind(t, &p) == 0)
		rc = trees_read(&s, t, n, by_time, &p);
	trace_free(t);
	return rc;
}

#define ROOT(id, at)                                                           \
	"{\"request_id\":\"" id "\",\"input_tokens\":9,\"output_tokens\":1,"   \
	"\"arrival_us\":" at "}\n"
#define AFTER(id, ids, delay)                                                  \
	"{\"request_id\":\"" id "\",\"input_tokens\":9,\"output_tokens\":1,"   \
	"\"after\":[" ids "],\"delay_us\":" delay "}\n"

/* What the clients' heap holds, "row@us", the earliest first. */
static const char *coming(struct clients *l)
{
	static char all[200];
	size_t n = 0;
	all[0] = '\0';
	while (l->n) {
		n += (size_t)sprintf(all + n, "%s%d@%d", n ? " " : "",
				     (int)l->heap[0].row,
				     (int)(l->heap[0].ns / 1000));
		clients_take(l);
	}
	return all;
}

static void a_tree(void)
{
	struct clients l = {0};
	/* a turn, two agents after it, and a turn that waits for both */
	ok(read_trees(AFTER("join", "\"x\",\"y\"", "7") ROOT("a", "5")
			  AFTER("x", "\"a\"", "1") AFTER("y", "\"a\"", "2"),
		      1) == 0 &&
	       s.n_trees == 1 && s.tree[0].n_rows == 4,
	   "rows in any order are one tree");
	ok(trees_next(&s)->first == 1 && trees_next(&s)->ns == 5000,
	   "it begins with its root");
	trees_begin(&s, 5000, 1, &l);
	is(coming(&l), "", "nothing else comes before it ends");
	ok(!trees_ended(&s, 1, 100000, &l), "the root ends");
	is(coming(&l), "2@101 3@102", "two come after it, each at its delay");
	ok(!trees_ended(&s, 3, 300000, &l), "the second ends first");
	is(coming(&l), "", "which frees nobody");
	ok(!trees_ended(&s, 2, 200000, &l), "the first ends");
	is(coming(&l), "0@307", "the join comes behind the last end");
	ok(trees_ended(&s, 0, 400000, &l), "then the tree is over");
	trees_free(&s);
	clients_free(&l);
}

static void several(void)
{
	struct clients l = {0};
	const char *text =
	    ROOT("a", "9") ROOT("b", "4") AFTER("c", "\"b\"", "0")
		ROOT("d", "6") AFTER("e", "\"a\",\"d\"", "0");
	ok(read_trees(text, 1) == 0 && s.n_trees == 2, "two trees");
	ok(trees_next(&s)->first == 1 && trees_rows(&s, 1) == 2,
	   "in the order of time");
	trees_begin(&s, 4000, 1, &l);
	ok(trees_next(&s)->first == 3, "a tree begins with its earliest root");
	trees_begin(&s, 1000, 0.5, &l);
	is(coming(&l), "0@2", "its other root is as far behind, stretched");
	trees_free(&s);
	ok(read_trees(text, 0) == 0 && trees_next(&s)->first == 3 &&
	       trees_rows(&s, 1) == 3,
	   "or in the order of the file");
	l.do_not_think = 1;
	trees_free(&s);
	ok(read_trees(ROOT("a", "0") AFTER("b", "\"a\"", "5"), 0) == 0,
	   "a delay");
	trees_begin(&s, 0, 1, &l);
	trees_ended(&s, 0, 3000, &l);
	is(coming(&l), "1@3", "is left out where nobody thinks");
	trees_free(&s);
	clients_free(&l);
}

static void refused(const char *what, const char *text, const char *want)
{
	int rc = read_trees(text, 1);
	const char *got = strrchr(p.text, '/');
	ok(rc < 0 && got && !strcmp(got + 1, want), "%s: %s", what, p.text);
	trees_free(&s);
}

static void refusals(void)
{
	refused("twice", ROOT("a", "0") ROOT("b", "0") ROOT("a", "1"),
		"trace:3: its request_id comes twice, first in line 1");
	refused("unknown", ROOT("a", "0") AFTER("b", "\"a\",\"z\"", "0"),
		"trace:2: after: entry 2 is no request_id of the rows that are "
		"read");
	refused("itself", ROOT("a", "0") AFTER("b", "\"b\"", "0"),
		"trace:2: after: it waits for itself");
	refused("a circle behind a row that hangs on it",
		AFTER("t", "\"x\"", "0") ROOT("a", "0") AFTER("y", "\"x\"", "0")
		    AFTER("x", "\"y\",\"a\"", "0"),
		"trace:3: after: it waits for a request that waits for it");
}

int main(void)
{
	begin_traces();
	a_tree();
	several();
	refusals();
	return end_traces();
}
