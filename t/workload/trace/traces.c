/* Traces read once for many workloads: the same requests as from the file. */
#include "workload/trace/traces.h"
#include <inttypes.h>
#include "scratch.h"
#include "workload/workload.h"
#include "workload_of.h"

static struct problem p;
static struct traces all;

/* What the requests of these keys say, and their hash; from s or the file. */
static const char *requests(const char *keys, const struct traces *s)
{
	static char text[2][2000];
	static int at;
	char *to = text[at = !at];
	struct ini c;
	struct workload_keys k;
	struct request r;
	int64_t ns;
	size_t n = 0;
	*to = '\0';
	if (workload_of(&k, &c, keys, &p) < 0)
		bail_out(p.text);
	struct workload *w = workload_open_with(&k, &c, s, &p);
	while (w && workload_peek(w, &ns, &p) == 1 &&
	       workload_pop(w, &r, &p) == 0 && n < sizeof text[0] - 100)
		n += (size_t)sprintf(to + n, "%" PRId64 ":%u+%u ", r.arrival_ns,
				     r.input_tokens, r.output_tokens);
	if (w)
		sprintf(to + n, "%016" PRIx64 " %s", workload_hash(w),
			workload_note(w, 0) ? workload_note(w, 0) : "");
	else
		strcpy(to, p.text);
	workload_free(w);
	ini_free(&c);
	return to;
}

static uint64_t read_in(const char *keys)
{
	struct ini c;
	struct workload_keys k;
	uint64_t hash = 0;
	if (workload_of(&k, &c, keys, &p) < 0 ||
	    workload_read_trace(&all, &k, &c, &hash, &p) < 0)
		bail_out(p.text);
	ini_free(&c);
	return hash;
}

/* One file, read by two mappings, is two traces. */
static void mappings(void)
{
	char keys[2][500];
	const char *path =
	    scratch_file("own.csv", "t,a,b\n1,100,10\n2,200,20\n3,300,30\n");
	snprintf(keys[0], sizeof keys[0],
		 "trace=%s columns=time:t@ns,input:a,output:b", path);
	snprintf(keys[1], sizeof keys[1],
		 "trace=%s columns=time:t@s,input:b,output:a", path);
	size_t n = all.n;
	uint64_t hash = read_in(keys[0]);
	ok(read_in(keys[1]) != hash && all.n == n + 2,
	   "other columns, another trace");
	for (int i = 0; i < 2; i++)
		is(requests(keys[i], &all), requests(keys[i], NULL),
		   "with its own rows and notes");
	ok(strstr(requests(keys[0], &all), "more than a service gets"),
	   "the note of kept rows");
}

/* Lengths that the file lacks are drawn: other ones make another trace. */
static void drawn(void)
{
	static const char *const more[] = {
	    "output_tokens=3 seed=1", "output_tokens=uniform:1,999 seed=1",
	    "output_tokens=uniform:1,999 seed=2"};
	const char *path =
	    scratch_file("prompts.jsonl", "{\"prompt\": \"12345678\"}\n");
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		char keys[500];
		size_t n = all.n;
		snprintf(keys, sizeof keys, "trace=%s request_rate=1 %s", path,
			 more[i]);
		read_in(keys);
		ok(all.n == n + 1, "another trace: %s", more[i]);
		is(requests(keys, &all), requests(keys, NULL),
		   "with its own lengths");
	}
}

int main(void)
{
	char keys[4][500];
	scratch_open();
	const char *path =
	    scratch_file("t.csv", "arrival_us,input_tokens,output_tokens\n"
				  "5,100,10\n90,200,20\n70,300,30\n95,7,9\n");
	const char *chat = scratch_file(
	    "chat.json",
	    "[{\"id\": \"a\", \"conversations\": [{\"from\": \"human\", "
	    "\"value\": \"one two three four\"}, {\"from\": \"gpt\", "
	    "\"value\": \"five six seven eight nine\"}]}]");
	snprintf(keys[0], sizeof keys[0], "trace=%s", path);
	snprintf(keys[1], sizeof keys[1], "trace=%s rate_scale=2", path);
	snprintf(keys[2], sizeof keys[2], "trace=%s num_requests=2", path);
	snprintf(keys[3], sizeof keys[3],
		 "trace=%s retime=true request_rate=5 seed=7", path);
	uint64_t hash = read_in(keys[0]);
	ok(all.n == 1 && all.bytes > 0, "a trace is read");
	for (int i = 0; i < 4; i++) {
		ok(read_in(keys[i]) == hash && all.n == 1, "once");
		is(requests(keys[i], &all), requests(keys[i], NULL),
		   "the same requests as from the file: %s",
		   strchr(keys[i], ' ') ? strchr(keys[i], ' ') : "");
	}
	scratch_file("t.csv", "nothing\n");
	ok(strstr(requests(keys[0], &all), "7+9"), "the file may go");
	ok(!strstr(requests(keys[0], NULL), "7+9"), "or it is looked at");
	snprintf(keys[0], sizeof keys[0],
		 "trace=%s request_rate=5 chars_per_token=2", chat);
	snprintf(keys[1], sizeof keys[1], "trace=%s request_rate=5", chat);
	hash = read_in(keys[0]);
	ok(all.n == 2 && read_in(keys[1]) != hash && all.n == 3,
	   "read in another way, it is another");
	is(requests(keys[0], &all), requests(keys[0], NULL),
	   "and has its own rows");
	mappings();
	drawn();
	traces_free(&all);
	return done();
}
