#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tap.h"
#include "workload/workload.h"
#include "workload_of.h"

static struct problem p;

/* "key=value key=value": a workload, or NULL with p. */
static struct workload *with(const char *keys)
{
	struct ini c;
	struct workload_keys k;
	struct workload *w = NULL;
	if (workload_of(&k, &c, keys, &p) == 0)
		w = workload_open(&k, &c, &p);
	ini_free(&c);
	return w;
}

static struct workload *must(const char *keys)
{
	struct workload *w = with(keys);
	if (!w)
		bail_out(p.text);
	return w;
}

static void refused(const char *keys, int code, const char *why)
{
	struct workload *w = with(keys);
	ok(!w && p.code == code && strstr(p.text, why), "%s: %s", keys, p.text);
	workload_free(w);
}

/* Pops the next request; 0 if none is known. */
static int pop(struct workload *w, struct request *r)
{
	int64_t ns;
	int got = workload_peek(w, &ns, &p);
	if (got == 1 && workload_pop(w, r, &p) < 0)
		got = -1;
	if (got < 0)
		bail_out(p.text);
	return got;
}

static void same_seed(void)
{
	const char *keys = "request_rate=8 num_requests=2000 seed=7 "
			   "input_tokens=lognormal:mean=1155,p50=1020 "
			   "output_tokens=uniform:1,400";
	struct workload *a = must(keys), *b = must(keys);
	struct request q, r;
	double sum = 0;
	int n = 0, same = 1;
	while (pop(a, &q)) {
		same &= pop(b, &r) && q.arrival_ns == r.arrival_ns &&
			q.input_tokens == r.input_tokens &&
			q.output_tokens == r.output_tokens &&
			q.row == (uint64_t)n++;
		sum += q.input_tokens;
	}
	ok(same && n == 2000 && !pop(b, &r), "the same seed, the same 2000");
	ok(workload_hash(a) == workload_hash(b), "and the same hash");
	near(sum / n, 1155, 0.05, "of the mean asked for");
	workload_free(a), workload_free(b);
	a = must(
	    "request_rate=8 num_requests=9 input_tokens=5 output_tokens=5");
	b = must(
	    "request_rate=9 num_requests=9 input_tokens=5 output_tokens=5");
	while (pop(a, &q) && pop(b, &r))
		;
	ok(workload_hash(a) != workload_hash(b), "another rate, another hash");
	workload_free(a), workload_free(b);
}

/* After each request, those of all so far, whatever is hashed when. */
static void hash_so_far(const char *keys, int with_arrival)
{
	struct workload *w = must(keys);
	struct request r;
	uint64_t sum = 0;
	int wrong = 0;
	for (int n = 0; pop(w, &r); n++) {
		sum += request_hash(&r, with_arrival);
		wrong += workload_hash(w) != sum;
		workload_finished(w, r.row, r.arrival_ns + 1000);
	}
	ok(wrong == 0 && sum, "%s: the hash is that of all so far", keys);
	workload_free(w);
}

/* Each request takes as long as its output is. */
static void closed_loop(void)
{
	struct workload *w = must("concurrency=7 num_requests=500 "
				  "input_tokens=10 output_tokens=uniform:1,50");
	struct request r;
	struct {
		uint64_t row;
		int64_t end;
	} flying[8];
	int n = 0, total = 0, good = 1;
	for (;;) {
		while (n < 8 && pop(w, &r)) {
			flying[n].row = r.row;
			flying[n++].end = r.arrival_ns + r.output_tokens;
			total++;
		}
		good &= n <= 7 && (n == 7 || total == 500);
		if (n == 0)
			break;
		int first = 0;
		for (int i = 1; i < n; i++)
			if (flying[i].end < flying[first].end)
				first = i;
		workload_finished(w, flying[first].row, flying[first].end);
		flying[first] = flying[--n];
	}
	ok(good && total == 500, "closed loop: 7 in flight while they last");
	workload_free(w);
}

/* A rejected request ends at once, because no token is to come. */
static int rejected_at_once(const char *keys)
{
	struct workload *w = must(keys);
	struct request r;
	int n = 0, seen[100] = {0}, twice = 0;
	while (n < 100 && pop(w, &r)) {
		n++;
		twice += r.row < 100 && seen[r.row]++;
		workload_finished(w, r.row, r.arrival_ns);
	}
	workload_free(w);
	return twice ? -n : n;
}

static void closed_loop_of_rejections(void)
{
	char name[] = "/tmp/stepcost-workload-XXXXXX", keys[200];
	const char *in = "input_tokens=10 output_tokens=5";
	static const struct {
		const char *what, *keys;
		int n;
	} of[] = {
	    {"more clients than requests", "num_requests=5 concurrency=10", 5},
	    {"as many", "num_requests=5 concurrency=5", 5},
	    {"fewer", "num_requests=5 concurrency=3", 5},
	    {"one", "num_requests=5 concurrency=1", 5},
	    {"sessions", "num_requests=11 concurrency=3 turns=4", 11},
	    {"who think",
	     "num_requests=11 concurrency=9 turns=2 "
	     "think_time_s=exponential:1",
	     11},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		snprintf(keys, sizeof keys, "%s %s", in, of[i].keys);
		int n = rejected_at_once(keys);
		ok(n == of[i].n, "all rejected: %s: %d requests", of[i].what,
		   n);
	}
	int fd = mkstemp(name);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		bail_out("mkstemp");
	fputs("arrival_us,input_tokens,output_tokens\n1,5,5\n2,5,5\n3,5,5\n",
	      f);
	fclose(f);
	for (int clients = 1; clients < 6; clients++) {
		snprintf(keys, sizeof keys, "trace=%s concurrency=%d", name,
			 clients);
		int n = rejected_at_once(keys);
		ok(n == 3, "%d clients of a trace of 3 rows: %d", clients, n);
	}
	unlink(name);
}

static void sessions(void)
{
	struct workload *w =
	    must("request_rate=2 arrival=constant num_requests=7 turns=3 "
		 "think_time_s=1.5 input_tokens=100 output_tokens=20 "
		 "shared_prefix_tokens=30");
	struct request r;
	int64_t ns;
	uint64_t answer;
	ok(workload_total(w) == 7, "7 requests in 3 sessions");
	pop(w, &r);
	answer = r.output_id;
	ok(r.row == 0 && r.session == 1 && r.turn == 0 && r.n_segments == 2 &&
	       r.segment[0].tokens == 30 && r.segment[1].tokens == 70 && answer,
	   "a first turn");
	uint64_t prefix = r.segment[0].id, own = r.segment[1].id;
	workload_finished(w, 0, 100000000);
	pop(w, &r);
	ok(r.row == 3 && r.arrival_ns == 500000000 &&
	       r.segment[0].id == prefix && r.segment[1].id != own,
	   "another session begins meanwhile");
	pop(w, &r);
	ok(r.row == 6 && r.turn == 0 && r.arrival_ns == 1000000000,
	   "and a third");
	pop(w, &r);
	ok(r.row == 1 && r.turn == 1 && r.arrival_ns == 1600000000 &&
	       r.input_tokens == 220 && r.n_segments == 4 &&
	       r.segment[0].id == prefix && r.segment[1].id == own &&
	       r.segment[2].id == answer && r.segment[2].tokens == 20 &&
	       r.segment[3].tokens == 100,
	   "the second turn extends the first and its answer");
	ok(workload_peek(w, &ns, &p) == 0, "nothing more is known");
	workload_finished(w, 6, 2000000000);
	ok(workload_peek(w, &ns, &p) == 0, "the last session is cut short");
	workload_finished(w, 1, 3000000000);
	pop(w, &r);
	ok(r.row == 2 && r.turn == 2 && r.output_id == 0 &&
	       r.input_tokens == 340,
	   "nobody continues a last turn");
	workload_free(w);
}

static void pool(void)
{
	struct workload *w =
	    must("request_rate=inf num_requests=300 prompts=100 "
		 "prompt_groups=10 shared_prefix_tokens=60 "
		 "input_tokens=uniform:80,120 output_tokens=9");
	struct request r;
	uint32_t length[100];
	uint64_t id[100];
	int same = 1, groups = 0;
	uint64_t group = 0;
	for (int i = 0; i < 300; i++) {
		same &=
		    pop(w, &r) == 1 && r.n_segments == 2 &&
		    r.segment[0].tokens == 60 &&
		    r.segment[0].tokens + r.segment[1].tokens == r.input_tokens;
		if (i < 100) {
			length[i] = r.input_tokens;
			id[i] = r.segment[1].id;
			groups += r.segment[0].id != group;
			group = r.segment[0].id;
		}
		same &= length[i % 100] == r.input_tokens &&
			id[i % 100] == r.segment[1].id;
	}
	ok(same, "100 prompts, recycled in order");
	ok(groups == 10, "in 10 groups of one prefix each");
	workload_free(w);
	w = must("request_rate=inf num_requests=200 prompts=100 "
		 "prompt_order=shuffled input_tokens=uniform:80,120 "
		 "output_tokens=9");
	int in_order = 0, seen = 0;
	for (int i = 0; i < 200; i++) {
		pop(w, &r);
		for (int k = 0; k < 100 && i < 100; k++)
			if (id[k] == r.segment[0].id) {
				seen++;
				in_order += k == i;
			}
	}
	ok(seen == 100 && in_order < 20, "shuffled: the same, permuted");
	workload_free(w);
}

/* Neither a generated workload nor a sorted trace grows. */
static void memory(const char *what, const char *keys, uint64_t n)
{
	struct rusage before, after;
	struct workload *w;
	struct request r;
	uint64_t count = 0;
	getrusage(RUSAGE_SELF, &before);
	w = must(keys);
	while (pop(w, &r)) {
		workload_finished(w, r.row, r.arrival_ns + 1000);
		count++;
	}
	workload_free(w);
	getrusage(RUSAGE_SELF, &after);
	ok(count == n && after.ru_maxrss - before.ru_maxrss < 1500,
	   "%s: %" PRIu64 " requests in %ld KiB", what, count,
	   after.ru_maxrss - before.ru_maxrss);
}

static void long_trace(void)
{
	char name[] = "/tmp/stepcost-workload-XXXXXX", keys[60];
	int fd = mkstemp(name);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		bail_out("mkstemp");
	fputs("arrival_us,input_tokens,output_tokens\n", f);
	for (int i = 0; i < 400000; i++)
		fprintf(f, "%d,%d,%d\n", 10 * i, i % 1000 + 1, i % 77 + 1);
	fclose(f);
	snprintf(keys, sizeof keys, "trace=%s", name);
	memory("a trace", keys, 400000);
	unlink(name);
}

int main(void)
{
	hash_so_far("request_rate=8 num_requests=21 input_tokens=5 "
		    "output_tokens=5",
		    1);
	hash_so_far("concurrency=3 num_requests=21 input_tokens=5 "
		    "output_tokens=5",
		    0);
	hash_so_far("request_rate=8 num_requests=21 input_tokens=50 "
		    "output_tokens=5 prompts=4 shared_prefix_tokens=20",
		    1);
	same_seed();
	closed_loop();
	closed_loop_of_rejections();
	sessions();
	pool();
	memory("generated",
	       "request_rate=8 num_requests=400000 input_tokens=5 "
	       "output_tokens=uniform:1,9 prompts=100",
	       400000);
	memory("sessions",
	       "concurrency=8 num_requests=400000 input_tokens=5 "
	       "output_tokens=1 turns=4 think_time_s=0.001",
	       400000);
	long_trace();
	const char *in = "input_tokens=5 output_tokens=5";
	char keys[300];
	snprintf(keys, sizeof keys, "%s stages=2:10,0:5,4:5", in);
	struct workload *w = must(keys);
	ok(workload_total(w) == 40, "stages: all of them");
	workload_free(w);
	snprintf(keys, sizeof keys, "%s request_rate=0", in);
	refused(keys, EXIT_USAGE, "request_rate = 0");
	snprintf(keys, sizeof keys, "%s request_rate=1 concurrency=1", in);
	refused(keys, EXIT_USAGE, "only one");
	refused(in, EXIT_USAGE, "needs request_rate");
	snprintf(keys, sizeof keys, "%s request_rate=1 num_requests=0", in);
	refused(keys, EXIT_USAGE, "num_requests = 0");
	refused("request_rate=1 output_tokens=5", EXIT_USAGE,
		"needs input_tokens");
	refused("request_rate=1 input_tokens=2147483648 output_tokens=5",
		EXIT_USAGE, "input_tokens = 2147483648");
	refused("request_rate=1 input_tokens=0 output_tokens=5", EXIT_USAGE,
		"input_tokens = 0");
	refused("request_rate=nan input_tokens=1 output_tokens=5", EXIT_USAGE,
		"request_rate");
	refused("trace=/nonexistent.csv", EXIT_USAGE, "/nonexistent.csv");
	return done();
}
