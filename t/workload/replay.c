#include "workload/replay.h"
#include <inttypes.h>
#include "scratch.h"

static struct problem p;
static struct replay r;

static int open_text(const char *text, uint64_t limit, int by_time)
{
	const struct trace_options o = {.format = "auto"};
	p = (struct problem){0};
	struct trace *t = trace_open(scratch_file("trace", text), &o, &p);
	return t ? replay_open(&r, t, limit, by_time, &p) : -1;
}

/* "us:input" of every request that is left. */
static const char *rest(void)
{
	static char text[500];
	struct request q;
	int64_t ns;
	size_t n = 0;
	int got;
	text[0] = '\0';
	while ((got = replay_peek(&r, &ns, &p)) == 1 &&
	       replay_take(&r, &q, &p) == 0)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "%s%" PRId64 ":%u", n ? " " : "",
				      ns / 1000, q.input_tokens);
	return got < 0 ? p.text : text;
}

static void reads(const char *what, const char *text, uint64_t limit,
		  int by_time, const char *want)
{
	if (open_text(text, limit, by_time) < 0)
		bail_out(p.text);
	is(rest(), want, "%s", what);
	int64_t ns;
	ok(replay_peek(&r, &ns, &p) == 0, "and no more");
}

#define HEAD "arrival_us,input_tokens,output_tokens\n"
#define MIXED HEAD "9,1,1\n3,2,1\n9,3,1\n3,4,1\n5,5,1\n"

static void order(void)
{
	reads("in order of time, equal times as the file has them", MIXED, 0, 1,
	      "3:2 3:4 5:5 9:1 9:3");
	ok(r.inversion == 3 && r.n == 5 && !r.n_left_out,
	   "the first row that was early is known");
	replay_free(&r);
	reads("in the order of the file", MIXED, 0, 0, "9:1 3:2 9:3 3:4 5:5");
	replay_free(&r);
	reads("the first rows of the file, then in order", MIXED, 3, 1,
	      "3:2 9:1 9:3");
	ok(r.n_left_out == 2 && !r.more_left_out && r.n == 3,
	   "two rows are left out");
	replay_free(&r);
	reads("a limit that is not reached", MIXED, 9, 1,
	      "3:2 3:4 5:5 9:1 9:3");
	ok(!r.n_left_out, "cuts nothing");
	replay_free(&r);
	reads("rows behind it are counted up to a bad one",
	      HEAD "1,1,1\n2,2,1\n3,3,1\n4,bad,1\n5,5,1\n", 1, 1, "1:1");
	ok(r.n_left_out == 2 && r.more_left_out, "at least two");
	replay_free(&r);
	reads("one that is just reached", MIXED, 5, 1, "3:2 3:4 5:5 9:1 9:3");
	ok(!r.n_left_out, "neither");
	replay_free(&r);
}

static void times(void)
{
	reads("evenly spaced", HEAD "1,1,1\n3,2,1\n5,3,1\n7,4,1\n", 0, 1,
	      "1:1 3:2 5:3 7:4");
	ok(r.is_even, "is noticed");
	replay_free(&r);
	reads("three are too few to say", HEAD "1,1,1\n3,2,1\n5,3,1\n", 0, 1,
	      "1:1 3:2 5:3");
	ok(!r.is_even, "and so are all at once");
	replay_free(&r);
	reads("other formats count from their first row",
	      "{\"timestamp\": 7000, \"input_length\": 600, "
	      "\"output_length\": 1, \"hash_ids\": [1, 2]}\n"
	      "{\"timestamp\": 7005, \"input_length\": 512, "
	      "\"output_length\": 1, \"hash_ids\": [1]}\n",
	      0, 1, "0:600 5000:512");
	replay_free(&r);
}

static void shared(void)
{
	struct request q;
	int64_t ns;
	uint64_t first;
	if (open_text("{\"timestamp\": 0, \"input_length\": 600, "
		      "\"output_length\": 1, \"hash_ids\": [7, 8]}\n"
		      "{\"timestamp\": 1, \"input_length\": 512, "
		      "\"output_length\": 1, \"hash_ids\": [7]}\n",
		      0, 1) < 0)
		bail_out(p.text);
	replay_peek(&r, &ns, &p);
	replay_take(&r, &q, &p);
	first = q.segment[0].id;
	ok(q.n_segments == 2 && q.segment[0].tokens == 512 &&
	       q.segment[1].tokens == 88 && q.line == 1,
	   "hash ids are segments, the last what is left");
	replay_peek(&r, &ns, &p);
	replay_take(&r, &q, &p);
	ok(q.n_segments == 1 && q.segment[0].id == first && q.line == 2,
	   "the same id is the same segment");
	replay_free(&r);
}

static void faults(void)
{
	ok(open_text(HEAD, 0, 1) < 0 && strstr(p.text, "no requests"),
	   "an empty trace: %s", p.text);
	ok(open_text(HEAD "1,1,1\n2,0,1\n", 0, 1) < 0 &&
	       strstr(p.text, "trace:3: "),
	   "a bad row shows when it is opened: %s", p.text);
	ok(open_text(HEAD "1,1,1\n2,0,1\n", 1, 1) == 0,
	   "unless nobody needs it");
	replay_free(&r);
}

/* More rows than are read ahead. */
static void changes(void)
{
	enum { ROWS = 10000, BYTES = ROWS * 12 + 100 };
	char *text = malloc(BYTES);
	size_t n = (size_t)sprintf(text, HEAD);
	struct request q;
	int64_t ns;
	int got;
	for (int i = 0; i < ROWS; i++)
		n += (size_t)sprintf(text + n, "%d,1,1\n", i);
	if (open_text(text, 0, 1) < 0)
		bail_out(p.text);
	scratch_file("trace", HEAD);
	while ((got = replay_peek(&r, &ns, &p)) == 1)
		replay_take(&r, &q, &p);
	ok(got < 0 && strstr(p.text, "became shorter while it was read"),
	   "a file that is cut while it is read: %s", p.text);
	replay_free(&r);
	free(text);
}

/* The file is another one when it is read again: each reading says so. */
static void spoilt_meanwhile(void)
{
	enum { ROWS = 10000, BYTES = ROWS * 12 + 100 };
	char *text = malloc(BYTES);
	size_t n = (size_t)sprintf(text, HEAD);
	int64_t ns;
	for (int i = 0; i < ROWS; i++)
		n += (size_t)sprintf(text + n, "%d,1,1\n", ROWS - i);
	if (open_text(text, 0, 0) < 0)
		bail_out(p.text);
	scratch_file("trace", HEAD "1,1,1\n");
	ok(replay_begin_at(&r, 9000, 7, &p) == 0 &&
	       replay_peek(&r, &ns, &p) < 0 &&
	       strstr(p.text, "became shorter while it was read"),
	   "a cut file has no row 9000: %s", p.text);
	replay_free(&r);
	if (open_text(text, 0, 0) < 0)
		bail_out(p.text);
	memset(text + sizeof HEAD - 1, 'x', n - sizeof HEAD);
	scratch_file("trace", text);
	ok(replay_begin_at(&r, 9000, 7, &p) < 0 && p.code == EXIT_INPUT &&
	       strstr(p.text, "trace:"),
	   "nor has one of other bytes: %s", p.text);
	replay_free(&r);
	free(text);
}

/* From another row on, and around. */
static void around(void)
{
	int64_t ns;
	open_text(MIXED, 0, 0);
	ok(replay_begin_at(&r, 3, 7, &p) == 0, "%s", p.text);
	is(rest(), "3:4 5:5 9:1 3:2 9:3 3:4 5:5",
	   "from the fourth row, seven in all");
	ok(replay_peek(&r, &ns, &p) == 0, "and no more");
	replay_free(&r);
	open_text(MIXED, 3, 0);
	ok(replay_begin_at(&r, 1, 4, &p) == 0, "%s", p.text);
	is(rest(), "3:2 9:3 9:1 3:2", "of the first three rows");
	replay_free(&r);
}

/* Rows of other years; those of Azure may be before the first one. */
static void far_apart(void)
{
	int64_t ns;
	open_text(HEAD "0,1,1\n3000000000000000,1,1\n", 0, 1);
	ok(r.period_ns == 0, "95 years are too long to play twice");
	replay_free(&r);
#define AZURE(a, b, c)                                                         \
	"TIMESTAMP,ContextTokens,GeneratedTokens\n" a ",1,1\n" b ",1,1\n" c    \
	",1,1\n"
	open_text(AZURE("1850-01-01 00:00:00", "1700-01-01 00:00:00",
			"2000-01-01 00:00:00"),
		  0, 0);
	ok(r.period_ns == 0, "300 years, too");
	replay_free(&r);
	open_text(AZURE("1850-01-01 00:00:00", "1700-01-01 00:00:00",
			"2000-01-01 00:00:00"),
		  0, 1);
	ok(replay_peek(&r, &ns, &p) == 1 && ns == 0, "the first");
	replay_take(&r, &(struct request){0}, &p);
	ok(replay_peek(&r, &ns, &p) < 0 &&
	       strstr(p.text, "trace:2: arrives after 146 years"),
	   "and the next: %s", p.text);
	replay_free(&r);
	open_text("arrival_us,input_tokens,output_tokens,mm_items\n"
		  "0,90,1,0:9:a;9:5:b\n",
		  0, 1);
	ok(r.longest_item == 9, "the longest item may come first");
	replay_free(&r);
}

int main(void)
{
	scratch_open();
	around();
	order();
	times();
	shared();
	faults();
	changes();
	spoilt_meanwhile();
	far_apart();
	return done();
}
