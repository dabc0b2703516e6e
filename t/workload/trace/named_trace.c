#include "workload/trace/named_trace.h"
#include "scratch.h"
#include "workload_of.h"

static struct problem p;

/* What the trace makes of a key, under "key=value key=value". */
static enum workload_unused ignores(const char *keys, const char *key)
{
	struct ini c;
	struct workload_keys k;
	char text[500];
	snprintf(text, sizeof text, "trace=%s %s", scratch_path("t.csv"), keys);
	if (workload_of(&k, &c, text, &p) < 0)
		bail_out(p.text);
	enum workload_unused why = named_trace_ignores(&k, &c, key);
	ini_free(&c);
	return why;
}

/* What is wrong with such keys, of a file that is there. */
static void refused(const char *keys, const char *says)
{
	struct ini c;
	struct workload_keys k;
	struct distribution input = {0}, output = {0};
	char text[500], *path = strdup(scratch_path("t.csv"));
	snprintf(text, sizeof text, "trace=%s %s", path, keys);
	if (!path || workload_of(&k, &c, text, &p) < 0)
		bail_out(p.text);
	ok(!named_trace_open(&k, path, &c, &input, &output, &p) &&
	       p.code == EXIT_USAGE && strstr(p.text, says),
	   "%s", p.text);
	distribution_free(&input), distribution_free(&output);
	ini_free(&c);
	free(path);
}

int main(void)
{
	struct ini c;
	struct workload_keys k;
	scratch_open();
	scratch_file("t.csv", "arrival_us,input_tokens,output_tokens\n0,9,2\n");
	ok(ignores("", "request_rate") == WORKLOAD_OWN_TIMES, "it has times");
	ok(ignores("retime=true", "request_rate") == WORKLOAD_USED,
	   "which may be replaced");
	ok(ignores("concurrency=2", "request_rate") == WORKLOAD_USED,
	   "or left to clients");
	ok(ignores("retime=true", "turns") == WORKLOAD_OWN_REQUESTS,
	   "its requests stay");
	refused("input_tokens=x", "input_tokens = x: must be constant:N");
	refused("output_tokens=0", "output_tokens = 0: must be a whole number");
	refused("columns=x", "columns = x: write ROLE:COLUMN");
	ok(ignores("", "rate_scale") == WORKLOAD_USED, "a key of traces");
	if (workload_of(&k, &c, "num_requests=3", &p) < 0)
		bail_out(p.text);
	ok(named_trace_ignores(&k, &c, "turns") == WORKLOAD_USED, "no trace");
	ini_free(&c);
	if (workload_of(&k, &c, "trace=/nowhere/x.csv", &p) < 0)
		bail_out(p.text);
	ok(named_trace_ignores(&k, &c, "turns") == WORKLOAD_USED,
	   "a file that is not there");
	char *path = named_trace_path(&k, &c, &p);
	is(path, "/nowhere/x.csv", "its path");
	free(path);
	ini_free(&c);
	return done();
}
