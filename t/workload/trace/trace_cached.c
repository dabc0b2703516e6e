/* A trace that is kept reads as its file does: rows, faults, notes, places. */
#include "workload/trace/trace_cached.h"
#include <inttypes.h>
#include "scratch.h"
#include "workload/trace/trace_reader.h"

static struct problem p;

/* All that rows say, and how it ended. */
static const char *all_of(struct trace *t, char *text, size_t size)
{
	struct trace_row row;
	size_t n = (size_t)snprintf(text, size, "%s%s ", trace_format_name(t),
				    trace_has_times(t) ? ", timed" : "");
	int got;
	while ((got = trace_next(t, &row, &p)) == 1 && n < size) {
		n += (size_t)snprintf(
		    text + n, size - n, "%" PRId64 ":%u+%u s%" PRIu64 " %s ",
		    row.time_ns, row.request.input_tokens,
		    row.request.output_tokens, row.request.session,
		    row.request.name ? row.request.name : "");
		for (uint32_t i = 0; i < row.n_blocks && n < size; i++)
			n += (size_t)snprintf(text + n, size - n,
					      "%" PRIu64 ",", row.block[i]);
	}
	if (n < size)
		snprintf(text + n, size - n, "%s%s; %" PRIu64 " failed; %s%s",
			 got < 0 ? "!" : "", got < 0 ? p.text : "",
			 trace_failed(t), trace_has_times(t) ? "timed" : "",
			 trace_note(t) ? trace_note(t) : "");
	return text;
}

static struct trace *open_text(const char *text)
{
	const struct trace_options o = {.format = "auto", .chars_per_token = 4};
	struct trace *t = trace_open(scratch_file("trace", text), &o, &p);
	if (!t)
		bail_out(p.text);
	return t;
}

static void same(const char *what, const char *text)
{
	static char want[4000], got[4000], again[4000];
	struct trace *t = open_text(text);
	all_of(t, want, sizeof want);
	trace_free(t);
	t = open_text(text);
	struct trace_cached *k = trace_keep(t, 1 << 20, &p);
	trace_free(t);
	struct trace *from = k ? trace_of_cached(k) : NULL;
	if (!from)
		bail_out("not kept");
	is(all_of(from, got, sizeof got), want, "%s", what);
	ok(trace_rewind(from, &p) == 0 &&
	       !strcmp(all_of(from, again, sizeof again) + strcspn(again, ":"),
		       want + strcspn(want, ":")),
	   "%s, and once more", what);
	trace_free(from);
	trace_cached_free(k);
}

static uint64_t hash_of(const char *text, size_t most, size_t *bytes)
{
	struct trace *t = open_text(text);
	struct trace_cached *k = trace_keep(t, most, &p);
	uint64_t hash = k ? trace_cached_hash(k) : 0;
	*bytes = k ? trace_cached_bytes(k) : 0;
	trace_free(t);
	trace_cached_free(k);
	return hash;
}

static const char plain[] =
    "arrival_us,input_tokens,output_tokens,request_id,session_id\n"
    "5,100,10,a,1\n9,200,20,bcd,2\n7,300,30,,1\n";

static void try_places(void)
{
	struct trace *t = open_text(plain);
	struct trace_cached *k = trace_keep(t, 1 << 20, &p);
	struct trace *from = trace_of_cached(k);
	struct trace_row row;
	for (int i = 0; i < 3; i++)
		trace_next(from, &row, &p);
	ok(row.time_ns == 7000 && row.request.line == 4, "the third row");
	uint64_t place = row.offset;
	trace_rewind(from, &p);
	ok(trace_seek(from, place, row.request.line, &p) == 0 &&
	       trace_next(from, &row, &p) == 1 && row.time_ns == 7000,
	   "is found by its place");
	trace_free(from);
	trace_cached_free(k);
	trace_free(t);
}

static void try_hashes(void)
{
	size_t n, none;
	uint64_t first = hash_of(plain, 1 << 20, &n);
	ok(n > 0 && first == hash_of(plain, 100, &none) && none == 0,
	   "too big a trace has its hash and no rows");
	ok(first == hash_of("request_id,arrival_us,output_tokens,"
			    "input_tokens,session_id\n"
			    "a,5,10,100,1\nbcd,9,20,200,2\n,7,30,300,1\n",
			    1 << 20, &n),
	   "columns in another order: the same hash");
	ok(first != hash_of("arrival_us,input_tokens,output_tokens,request_id,"
			    "session_id\n"
			    "5,100,10,a,1\n9,200,20,bcd,2\n7,300,31,,1\n",
			    1 << 20, &n),
	   "a token more: another");
	ok(hash_of("arrival_us,input_tokens,output_tokens\n5,1,1\n6,1,1\n",
		   1 << 20, &n) !=
	       hash_of("arrival_us,input_tokens,output_tokens\n5,1,1\n7,1,1\n",
		       1 << 20, &n),
	   "a microsecond later: another");
#define EMPTIED(us)                                                            \
	"{\"stepcost_trace\": 1, \"configuration\": \"x\"}\n"                  \
	"{\"request_id\":\"a\",\"arrival_us\":0,\"input_tokens\":9,"           \
	"\"output_tokens\":5}\n{\"reset_us\":" us "}\n"
	ok(hash_of(EMPTIED("5"), 1 << 20, &n) !=
	       hash_of(EMPTIED("6"), 1 << 20, &n),
	   "a prefix cache that is emptied later: another");
#define FAILED(row)                                                            \
	"Timestamp,Model,Request tokens,Response tokens,Total tokens,"         \
	"Log Type\n1,m,10,5,15,a\n" row
	ok(hash_of(FAILED(""), 1 << 20, &n) !=
	       hash_of(FAILED("2,m,10,0,10,a\n"), 1 << 20, &n),
	   "a failed row more, which is noted: another");
}

int main(void)
{
	scratch_open();
	same("stepcost's own", plain);
	same("a fault in the third row",
	     "arrival_us,input_tokens,output_tokens\n1,2,3\n4,5,6\n7,x,9\n");
	same("failed rows",
	     "Timestamp,Model,Request tokens,Response tokens,Total tokens,"
	     "Log Type\n1,m,10,5,15,a\n2,m,10,0,10,a\n3,m,20,5,25,a\n"
	     "4,m,20,0,20,a\n");
	same("hash ids",
	     "{\"timestamp\": 0, \"input_length\": 1000, \"output_length\": 5, "
	     "\"hash_ids\": [1, 2]}\n{\"timestamp\": 7, \"input_length\": "
	     "600, \"output_length\": 5, \"hash_ids\": [1, 9]}\n");
	same("items",
	     "arrival_us,input_tokens,output_tokens,mm_items\n1,9,1,0:2:a\n"
	     "2,9,1,\n");
	same("rows that come after others",
	     "{\"request_id\":\"a\",\"input_tokens\":9,\"output_tokens\":5,"
	     "\"arrival_us\":7}\n{\"request_id\":\"b\",\"input_tokens\":9,"
	     "\"output_tokens\":5,\"after\":[\"a\"]}\n");
	same("blocks of given lengths",
	     "{\"block_size\":64,\"requests\":[{\"t\":0,\"type\":\"n\","
	     "\"in\":70,\"out\":3,\"hash_ids\":[1,2]}]}");
	same("without times",
	     "num_prefill_tokens,num_decode_tokens\n12,0\n13,7\n");
	try_places();
	try_hashes();
	return done();
}
