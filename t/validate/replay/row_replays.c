#include "validate/replay/row_replays.h"
#include "scratch.h"
#include "validate/measured/aliases.h"
#include "validate/measured/measured_read.h"
#include "validate/replay/row_replay_requests.h"

static struct problem p;
static struct measured m;
static struct ini aliases;
static struct row_replays t;

static const char alias_file[] =
    "[class]\nA = prompts\nS = single\n"
    "[model]\nmeta/llama = llama\n"
    "[protocol:prompts]\nkind = prompts\nprompts = 4\nprompt_groups = 2\n"
    "input_jitter_tokens = 0\nstage_gap_e2e = 2\n"
    "[protocol:second]\nkind = prompts\nprompts = 4\nprompt_groups = 2\n"
    "input_jitter_tokens = 0\nstage_gap_e2e = 2\nseed = 2\n"
    "[protocol:single]\nkind = single\nrequests = 3\n"
    "[protocol:closed]\nkind = closed\n"
    "[protocol:replay]\nkind = replay\nstage_gap_s = 1\n"
    "[protocol:benchmark]\nkind = benchmark\nschedule_us = -1\n"
    "[protocol:published]\nkind = published\nrequests = 4\nmin_requests = 20\n"
    "max_num_seqs = 64\nmax_num_batched_tokens = input + clients + 100\n"
    "[when:waves]\nprotocol = published\nconcurrency = 6\n"
    "protocol.first_wave_share = {concurrency / 60}\n"
    "engine.pd_fixed_us = {concurrency * 2}\n"
    "engine.watermark = {running}\n"
    "[protocol:steady]\nkind = published\nrequests = 10\nshortest = 0.5\n"
    "longest = 1.5\nsteady_state = true\nrecycled_prompts = 4\n";

#define HEAD                                                                   \
	"id,run,protocol,model,gpu,stage,request_rate,concurrency,duration_s," \
	"num_requests,input_tokens,shared_prefix_tokens,output_tokens,trace,"  \
	"mean_ttft_ms,mean_tpot_ms,mean_e2el_ms,engine_version\n"

static void plan(const char *rows)
{
	char text[2000];
	snprintf(text, sizeof text, HEAD "%s", rows);
	row_replays_free(&t);
	measured_free(&m);
	if (measured_read(&m, scratch_file("runs.csv", text), &aliases, &p) <
		0 ||
	    row_replays_plan(&t, &m, &aliases, 0, &p) < 0)
		bail_out(p.text);
}

static int has_setting(const struct row_replay *x, const char *text)
{
	for (size_t i = 0; i < x->n_settings; i++)
		if (!strcmp(x->setting[i], text))
			return 1;
	return 0;
}

static void stages(void)
{
	plan("A-1,r,,meta/llama,H,0,2,,3,,100,20,8,,,,500,0.11.0\n"
	     "S-1,x,,meta/llama,H,,,,,,10,,5,,,,,\n"
	     "A-2,r,,meta/llama,H,1,4,,1,,100,20,8,,,,,0.11.0\n");
	const struct row_replay *x = t.row_replay;
	ok(t.n == 2 && t.n_left_out == 0, "stages of a run are one simulation");
	ok(x->n_rows == 2 && x->row[0] == 0 && x->row[1] == 2 && x->n == 10 &&
	       x->first[0] == 0 && x->first[1] == 6 && x->first[2] == 10,
	   "rate times duration, stage after stage");
	ok(x->request[5].arrival_ns == 3000000000 &&
	       x->request[6].arrival_ns > 4000000000 &&
	       x->request[9].arrival_ns == 5000000000,
	   "they fill their stage; the next waits for the one before");
	int64_t gap[2] = {x->request[1].arrival_ns - x->request[0].arrival_ns,
			  x->request[2].arrival_ns - x->request[1].arrival_ns};
	struct planned_request *next = row_replay_draw(x, 1);
	if (!next)
		bail_out("memory is out");
	ok(gap[0] > 0 && gap[1] > 0 && gap[0] != gap[1] && x->repeats == 15 &&
	       next[0].arrival_ns != x->request[0].arrival_ns &&
	       next[9].arrival_ns == 5000000000,
	   "at gaps of their own, for each of fifteen seeds");
	ok(x->request[0].input_tokens == 100 && x->request[0].n_segments == 2 &&
	       x->request[0].segment[0].tokens == 20 &&
	       x->request[0].segment[1].id == x->request[4].segment[1].id,
	   "prompts of a pool, with their group's prefix");
	ok(has_setting(x, "model.config=llama") &&
	       has_setting(x, "engine.async_scheduling=false") &&
	       has_setting(x, "engine.num_gpu_blocks=auto"),
	   "settings by alias and version");
	is(x->name, "r", "named as the run");
	plan("A-1,r,second,meta/llama,H,0,2,,3,,100,20,8,,,,500,0.11.0\n"
	     "A-2,r,second,meta/llama,H,1,4,,1,,100,20,8,,,,,0.11.0\n");
	ok(!memcmp(next, t.row_replay[0].request, 10 * sizeof *next),
	   "a later simulation has the requests of the next seed");
	free(next);
}

static void others(void)
{
	plan("S-1,x,,llama,H,,,,,,10,,5,,10,5,60,\n"
	     "c,x,closed,llama,H,,,2,,,10,,5,,,,,\n"
	     "b,x,benchmark,llama,H,,,,,4,10,,5,,,,,0.15.1\n");
	ok(t.n == 3 && t.row_replay[0].n == 3 &&
	       t.row_replay[0].concurrency == 1 &&
	       t.row_replay[0].request[0].output_tokens == 11,
	   "one at a time: as many tokens as its times say");
	ok(t.row_replay[1].n == 24 && t.row_replay[1].concurrency == 2 &&
	       t.row_replay[1].tpot_only &&
	       t.row_replay[1].request[5].input_tokens <= 10,
	   "a closed loop tells TPOT alone");
	ok(t.row_replay[2].n == 4 &&
	       t.row_replay[2].request[3].arrival_ns == 0 &&
	       has_setting(&t.row_replay[2], "engine.async_scheduling=true"),
	   "a benchmark, all at once");
	int set = 0;
	for (size_t i = 0; i < t.row_replay[2].n_settings; i++)
		set |= !strncmp(t.row_replay[2].setting[i],
				"engine.schedule_us", 18);
	ok(!set, "-1 leaves a setting as it is");
}

static void published(void)
{
	plan("few,x,published,llama,H,,,3,,,10,,5,,,,,\n"
	     "more,x,published,llama,H,,,6,,,10,,5,,,,,\n");
	ok(t.n == 2 && t.row_replay[0].n == 20 && t.row_replay[1].n == 4 * 6,
	   "a loop has so many requests a client, and no fewer in all");
	ok(t.row_replay[0].first[0] == 0 && t.row_replay[0].first[1] == 20,
	   "those that all send at once at first count, too");
	ok(t.row_replay[0].protocol.first_wave_share == -1 &&
	       t.row_replay[1].protocol.first_wave_share == .1,
	   "as the others do, or as a rule says by a formula");
	ok(has_setting(&t.row_replay[1], "engine.pd_fixed_us=12"),
	   "a setting by a formula of cells");
	int set = 0;
	for (size_t i = 0; i < t.row_replay[1].n_settings; i++)
		set |= strstr(t.row_replay[1].setting[i], "watermark") != NULL;
	ok(!set, "none by one of an empty cell");
	ok(has_setting(&t.row_replay[0], "engine.max_num_batched_tokens=113") &&
	       has_setting(&t.row_replay[0], "engine.max_num_seqs=64"),
	   "limits by formula");
}

static void steady(void)
{
	plan("long,x,steady,llama,H,,,3,,,10,,100,,,,,\n"
	     "short,x,steady,llama,H,,,3,,6,10,,100,,,,,\n");
	const struct row_replay *x = t.row_replay;
	uint32_t least = 1000, most = 0;
	for (uint64_t i = 0; i < x->n; i++) {
		uint32_t tokens = x->request[i].output_tokens;
		least = tokens < least ? tokens : least;
		most = tokens > most ? tokens : most;
	}
	ok(x->n == 30 && x->first[0] == 3 && x->first[1] == 27,
	   "the first and the last wave do not count");
	ok(x[1].first[0] == 0 && x[1].first[1] == 6,
	   "unless there is no other");
	ok(least >= 50 && least < 80 && most > 120 && most <= 150,
	   "lengths from shortest to longest: %u to %u", least, most);
	ok(x->request[1].n_segments == 1 &&
	       x->request[1].segment[0].id == x->request[5].segment[0].id &&
	       x->request[1].segment[0].id != x->request[2].segment[0].id &&
	       x->request[1].input_tokens == x->request[5].input_tokens,
	   "prompts come again");
}

static void replays(void)
{
	scratch_file("trace.csv", "arrival_s,input_tokens,output_tokens,stage\n"
				  "0,50,1,0\n0.5,60,2,1\n1,15,3,1\n");
	plan("a,x,replay,llama,H,1,,3,,,,20,,trace.csv,,,,\n");
	const struct row_replay *x = t.row_replay;
	ok(t.n == 1 && x->n == 3 && x->first[0] == 1 && x->first[1] == 3,
	   "a stage of a trace beside the file, behind a warm-up");
	ok(x->request[0].input_tokens == 20 && x->request[0].arrival_ns == 0 &&
	       x->request[1].arrival_ns == 1500000000 &&
	       x->request[1].segment[0].tokens == 20 &&
	       x->request[2].segment[0].tokens == 15 &&
	       x->request[0].segment[0].id == x->request[2].segment[0].id,
	   "that has the prefix all share");
	ok(x->concurrency == 3, "a closed loop where no rate is given");
}

static void left_out(const char *row, const char *why)
{
	plan(row);
	ok(t.n == 0 && t.n_left_out == 1, "left out");
	is(t.n_left_out ? t.left_out[0].why : "(planned)", why, "%s", why);
}

static void faults(void)
{
	left_out("Z-1,x,,llama,H,,,,,,10,,5,,,,,\n", "no protocol ");
	left_out("a,x,none,llama,H,,,,,,10,,5,,,,,\n", "no protocol none");
	plan("a,x,single,org/other,H,,,,,,10,,5,,,,,\n");
	ok(t.n == 1 && t.n_left_out == 0 &&
	       !strcmp(t.answered[SERVED_MODEL], "org/other"),
	   "the configuration stands for the one model that is not known");
	plan("a,x,single,org/other,H,,,,,,10,,5,,,,,\n"
	     "b,x,single,meta/llama,H,,,,,,10,,5,,,,,\n");
	ok(t.n == 1 && t.n_left_out == 1 && !t.answered[SERVED_MODEL],
	   "not beside another");
	is(t.left_out[0].why, "no model is known as org/other",
	   "which it says");
	left_out("a,x,single,llama,H,,,,,,,,5,,,,,\n", "lacks input_tokens");
	left_out("a,x,prompts,llama,H,,,,,,10,,5,,,,,\n",
		 "lacks a request_rate up to 1e4");
	left_out("a,x,replay,llama,H,,,,,,10,,5,,,,,\n", "lacks trace");
	left_out("a,x,closed,llama,H,,,,,,10,,5,,,,,\n", "lacks concurrency");
	left_out("a,x,benchmark,llama,H,,,,,,10,,5,,,,,\n",
		 "lacks requests, or num_requests and mean lengths");
}

/* How each shipped row that is scored was launched. */
static void launches(void)
{
	static const char *const files[] = {
	    "inferencex-sglang.csv", "inferencex-trtllm.csv",
	    "inferencex-vllm.csv", "vllm-closed-loop.csv",
	    "inferencex-percentiles.csv"};
	const char *top = getenv("top_srcdir");
	char path[4200];
	size_t without = 0;
	row_replays_free(&t);
	measured_free(&m);
	ini_free(&aliases);
	if (aliases_read(&aliases, NULL, &p) < 0)
		bail_out(p.text);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/bench_data/serving/%s",
			 top ? top : ".", files[i]);
		if (measured_read(&m, path, &aliases, &p) < 0)
			bail_out(p.text);
	}
	if (row_replays_plan(&t, &m, &aliases, 0, &p) < 0)
		bail_out(p.text);
	for (size_t i = 0; i < t.n; i++)
		without += !m.row[t.row_replay[i].row[0]].launch;
	ok(t.n > 1000 && without == 0,
	   "%zu of %zu published runs lack a launch", without, t.n);
}

int main(void)
{
	if (ini_read(&aliases, alias_file, strlen(alias_file), &p) < 0)
		bail_out(p.text);
	scratch_open();
	stages();
	others();
	published();
	steady();
	replays();
	faults();
	launches();
	row_replays_free(&t);
	measured_free(&m);
	ini_free(&aliases);
	return done();
}
