/* A trace that comes more than once: at its rate, and with nothing in common
 * with the time before. */
#include <inttypes.h>
#include "scratch.h"
#include "workload/workload.h"
#include "workload_of.h"

static struct problem p;

static struct workload *of(const char *text, const char *keys)
{
	static struct ini c;
	struct workload_keys k;
	char all[400];
	ini_free(&c);
	snprintf(all, sizeof all, "trace=%s %s%s", scratch_file("trace", text),
		 keys, strstr(text, "hash_ids") ? " format=mooncake" : "");
	if (workload_of(&k, &c, all, &p) < 0)
		bail_out(p.text);
	struct workload *w = workload_open(&k, &c, &p);
	if (!w)
		bail_out(p.text);
	return w;
}

/* A request, and what it shares with others. */
struct seen {
	int64_t us;
	uint32_t input, n;
	uint64_t session, output, segment[8];
};
enum { MOST = 20 };
static struct seen seen[MOST];

/* Every request ends a microsecond after it comes.  Returns how many came. */
static int all(struct workload *w)
{
	struct request r;
	int64_t ns;
	int n = 0;
	while (n < MOST && workload_peek(w, &ns, &p) == 1 &&
	       workload_pop(w, &r, &p) == 0) {
		struct seen *s = &seen[n++];
		*s = (struct seen){.us = r.arrival_ns / 1000,
				   .input = r.input_tokens,
				   .n = r.n_segments,
				   .session = r.session,
				   .output = r.output_id};
		for (uint32_t i = 0; i < r.n_segments && i < 8; i++)
			s->segment[i] = r.segment[i].id;
		workload_finished(w, r.row, ns + 1000);
	}
	return n;
}

/* Returns 1 if a prompt shares a segment with another one. */
static int share(const struct seen *a, const struct seen *b)
{
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if (a->segment[i] == b->segment[k])
				return 1;
	return 0;
}

/* The time around is not the same as the one before, but is alike in itself. */
static int is_anew(int n)
{
	int anew = 1;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			anew &= !share(&seen[i], &seen[n + k]) &&
				share(&seen[i], &seen[k]) ==
				    share(&seen[n + i], &seen[n + k]);
	return anew;
}

#define HASHED(at, ids)                                                        \
	"{\"timestamp\": " at ", \"input_length\": 1024, "                     \
	"\"output_length\": 1, \"hash_ids\": [" ids "]}\n"

static void hash_ids(void)
{
	struct workload *w = of(
	    HASHED("0", "1, 2") HASHED("30", "3, 4") HASHED("20", "1, 5"), "");
	ok(workload_may_repeat(w) && workload_repeat(w, 2, &p) == 0 &&
	       workload_total(w) == 6,
	   "three rows, twice");
	ok(all(w) == 6, "six come");
	ok(seen[0].us == 0 && seen[1].us == 20000 && seen[2].us == 30000 &&
	       seen[3].us == 45000 && seen[4].us == 65000 &&
	       seen[5].us == 75000,
	   "a mean gap of 15 ms behind the last, then in the same order");
	ok(share(&seen[0], &seen[1]) && is_anew(3),
	   "no prompt shares a prefix with the time before");
	workload_free(w);
	w = of(HASHED("0", "1, 2") HASHED("10", "3, 4"), "rate_scale=2");
	ok(workload_repeat(w, 3, &p) == 0 && all(w) == 6 && seen[5].us == 25000,
	   "a scaled rate is kept, too");
	workload_free(w);
}

#define HEAD                                                                   \
	"arrival_us,input_tokens,output_tokens,session_id,prefix_group,"       \
	"prefix_tokens\n"

static void sessions(void)
{
	struct workload *w = of(HEAD "1000,40,5,7,3,16\n2000,80,5,7,3,16\n"
				     "3000,30,5,8,3,16\n",
				"");
	ok(workload_repeat(w, 2, &p) == 0 && all(w) == 6, "turns, twice");
	ok(seen[0].session == seen[1].session &&
	       seen[3].session == seen[4].session &&
	       seen[0].session != seen[3].session &&
	       seen[2].session != seen[5].session,
	   "sessions stay together, and are others than before");
	ok(share(&seen[0], &seen[2]) && is_anew(3),
	   "so are turns and prefix groups");
	ok(seen[3].us - seen[0].us == 3000, "each comes 3 ms later");
	workload_free(w);
}

#define ROOT(id, at)                                                           \
	"{\"request_id\":\"" id "\",\"input_tokens\":9,\"output_tokens\":1,"   \
	"\"session_id\":\"s\",\"arrival_us\":" at "}\n"
#define AFTER(id, ids)                                                         \
	"{\"request_id\":\"" id "\",\"input_tokens\":30,\"output_tokens\":1,"  \
	"\"session_id\":\"s\",\"after\":[" ids "],\"delay_us\":5}\n"

static void trees(void)
{
	struct workload *w =
	    of(ROOT("a", "0") AFTER("b", "\"a\"") ROOT("c", "100"), "");
	ok(workload_repeat(w, 2, &p) == 0 && workload_total(w) == 6 &&
	       all(w) == 6,
	   "trees, twice: %s", p.text);
	ok(seen[0].us == 0 && seen[1].us == 6 && seen[2].us == 100 &&
	       seen[3].us == 200 && seen[4].us == 206 && seen[5].us == 300,
	   "the second turn waits for the first of its own time");
	ok(seen[0].session != seen[3].session && is_anew(3),
	   "and shares nothing with the time before");
	workload_free(w);
}

static void closed(void)
{
	struct workload *w =
	    of(HASHED("0", "1, 11") HASHED("10", "2, 12"), "concurrency=1");
	ok(workload_repeat(w, 3, &p) == 0 && all(w) == 6 && is_anew(2),
	   "a client of a closed loop goes on with the next time around");
	workload_free(w);
}

static void refusals(void)
{
	struct workload *w = of(HASHED("5", "1, 11") HASHED("5", "2, 12"), "");
	ok(!workload_may_repeat(w) && workload_repeat(w, 2, &p) < 0,
	   "one instant cannot be repeated: %s", p.text);
	workload_free(w);
	w = of(HASHED("5", "1, 11"), "");
	ok(!workload_may_repeat(w), "nor can a row that is alone");
	workload_free(w);
	w = of(HASHED("0", "1, 11") HASHED("5", "2, 12"), "");
	ok(workload_repeat(w, UINT64_C(1) << 40, &p) < 0,
	   "nor can there be so many requests: %s", p.text);
	workload_free(w);
}

/* For the order of the file: rows that come again are new, too. */
static void from_the_middle(void)
{
	struct workload *w = of(HASHED("0", "1, 11") HASHED("10", "2, 12"),
				"retime=true request_rate=10");
	ok(workload_begin_at(w, 0.5, 4, &p) == 0 && all(w) == 4 && is_anew(2),
	   "rows from the middle on, around and again");
	workload_free(w);
}

int main(void)
{
	scratch_open();
	hash_ids();
	sessions();
	trees();
	closed();
	refusals();
	from_the_middle();
	return done();
}
