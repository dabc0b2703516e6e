/* The record is a trace, with names once each. */
#include "live/record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tap.h"
#include "workload/trace/trace.h"

int main(void)
{
	char path[] = "/tmp/recordXXXXXX", name[40];
	struct record r;
	struct problem p;
	close(mkstemp(path));
	if (record_open(&r, path, "d", &p) < 0)
		bail_out(p.text);
	record_name(&r, "a", name, sizeof name);
	is(name, "a", "a name");
	record_name(&r, "a", name, sizeof name);
	is(name, "a~2", "again");
	record_name(&r, "a~2", name, sizeof name);
	is(name, "a~2~2", "one that a client made up");
	record_name(&r, "a~3", name, sizeof name);
	record_name(&r, "a", name, sizeof name);
	is(name, "a~4", "a~3 was a client's");
	for (int i = 0; i < 100000; i++)
		record_name(&r, "one", name, sizeof name);
	is(name, "one~100000", "many times one name");
	const uint64_t block[] = {5, 6};
	const struct live_request x = {.arrival_ns = 1234567,
				       .input_tokens = 20,
				       .output_tokens = 5,
				       .max_tokens = 9,
				       .stop_tokens = 2,
				       .priority = -1,
				       .pinned = 3,
				       .block_tokens = 16,
				       .n_blocks = 2,
				       .block = block,
				       .name = "a~2"};
	struct prompt_item picture = {2, 5, "abc"};
	const struct prompt_items items = {&picture, 1, 1};
	record_request(&r, &x, &(struct record_texts){"s\"", "l", 4, &items});
	record_cancel(&r, "a~2", 2000001);
	record_reset(&r, 1, 3000000);
	record_close(&r);
	const struct trace_options o = {.format = "auto"};
	struct trace *t = trace_open(path, &o, &p);
	struct trace_row row;
	if (!t || trace_next(t, &row, &p) != 1)
		bail_out(p.text);
	ok(row.time_ns == 1234567 && row.request.cancel_ns == 765434 &&
	       row.request.max_tokens == 9 && row.request.stop_tokens == 2 &&
	       row.request.priority == -1 && row.request.pinned == 3 &&
	       row.request.n_items == 1 && row.request.item->offset == 2 &&
	       row.request.item->length == 5 && row.n_blocks == 2 &&
	       row.block[1] == 6,
	   "the reader reads what was written");
	trace_free(t);
	record_open(&r, NULL, "d", &p);
	for (int i = 0; i < 2; i++)
		record_name(&r, "a", name, sizeof name);
	ok(!strcmp(name, "a") && r.names.n == 0, "no record keeps no names");
	record_close(&r);
	remove(path);
	return done();
}
