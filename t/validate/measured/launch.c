/* Finds how a row was launched: by its conditions, or by name. */
#include "validate/measured/launch.h"
#include <string.h>
#include "scratch.h"

static struct ini aliases;
static struct problem p;

static void begin(const char *text)
{
	ini_free(&aliases);
	if (ini_read(&aliases, text, strlen(text), &p) < 0)
		bail_out(p.text);
}

static void has(struct measured_row r, const char *want, const char *what)
{
	if (launch_find(&r, &aliases, &p) < 0)
		bail_out(p.text);
	is(r.launch ? r.launch : "none", want, "%s", what);
}

static const char text[] =
    "[when:x]\nengine = vllm\n"
    "[launch:old]\nprotocol = lab\nengine = vllm\nmeasured = ..2025-12-31\n"
    "engine.max_num_seqs = 8\n"
    "[launch:new]\nprotocol = lab\nengine = vllm\nmeasured = -,2026-01-01..\n"
    "ranks = square\nsource = a page\n"
    "[launch:many]\nprotocol = lab\nengine = trtllm\nconcurrency = 16..\n";

/* A row that may have a launch, and does not tell. */
static void lacks(void)
{
	static const char asks[] =
	    "[launch:ours]\nprotocol = lab\norigin = us\nmodel = llama*\n"
	    "measured = 2026-01-01..\n"
	    "[launch:all]\nprotocol = lab\norigin = them\nengine = vllm\n";
	char vllm[] = "vllm", llama[] = "llama-1", us[] = "us";
	char early[] = "2025-01-01";
	struct ini kept = aliases;
	aliases = (struct ini){0};
	begin(asks);
	struct measured_row r = {.engine = vllm, .model = llama, .origin = us};
	launch_find(&r, &aliases, &p);
	is(r.launch_lacks ? r.launch_lacks : "none", "measured", "no day");
	r.measured = early;
	launch_find(&r, &aliases, &p);
	ok(!r.launch && !r.launch_lacks, "a day before the launch");
	r = (struct measured_row){
	    .engine = vllm, .model = llama, .origin = vllm};
	launch_find(&r, &aliases, &p);
	ok(!r.launch_lacks, "another origin than the launch's");
	r = (struct measured_row){.engine = vllm};
	launch_find(&r, &aliases, &p);
	ok(!r.launch_lacks, "a launch of no model is no launch of a row");
	ini_free(&aliases);
	aliases = kept;
}

/* Rows of etc/protocols.csv. */
static void read_rows(const char *csv, const char *want)
{
	char before[4000];
	snprintf(before, sizeof before, "%s", getenv("STEPCOST_DATA_PATH"));
	scratch_folder("etc");
	scratch_file("etc/protocols.csv", csv);
	setenv("STEPCOST_DATA_PATH", scratch, 1);
	ini_free(&aliases);
	int rc = launches_read(&aliases, &p);
	is(rc < 0 ? strstr(p.text, "protocols.csv") : "(read)", want, "%s",
	   want);
	setenv("STEPCOST_DATA_PATH", before, 1);
}

static void rows(void)
{
	char wide[1000] = "name";
	for (int i = 1; i <= 64; i++)
		snprintf(wide + strlen(wide), sizeof wide - strlen(wide),
			 ",a%d", i);
	read_rows("name,protocol\na,lab\nb,lab\n", "(read)");
	read_rows("name,protocol\na,lab\na,lab\n",
		  "protocols.csv:3: a second row of that name");
	read_rows("protocol,name\nlab,a\n",
		  "protocols.csv:1: the first of at most 64 columns is not "
		  "`name`");
	read_rows(strcat(wide, "\n"),
		  "protocols.csv:1: the first of at most 64 columns is not "
		  "`name`");
}

int main(void)
{
	scratch_open();
	char vllm[] = "vllm", trtllm[] = "trtllm", day[] = "2025-11-02";
	char many[] = "many", nobody[] = "nobody";
	begin(text);
	ok(launches_check(&aliases, &p) == 0, "sound launches");
	has((struct measured_row){.engine = vllm, .measured = day},
	    "launch:old", "by the day");
	has((struct measured_row){.engine = vllm}, "launch:new",
	    "a row without a day");
	has((struct measured_row){.engine = trtllm, .concurrency = 15}, "none",
	    "a condition that does not hold");
	has((struct measured_row){.engine = vllm, .protocol = many},
	    "launch:many", "by name, whatever it asks");
	has((struct measured_row){.engine = vllm, .protocol = nobody}, "none",
	    "a protocol that is no launch");
	has((struct measured_row){.engine = vllm, .mode = many}, "none",
	    "a launch that asks for no mode is of servers in one piece");
	lacks();
	struct measured_row r = {.engine = vllm};
	ok(launch_find(&r, &aliases, &p) == 0 && r.ranks == RANKS_SQUARE,
	   "what its ranks mean");
	ok(!launch_asks("ranks") && !launch_asks("engine.x") &&
	       launch_asks("engine"),
	   "which keys are conditions");
	if (ini_put(&aliases, "launch:many", "engine", "vllm", "own.ini:1",
		    &p) < 0)
		bail_out(p.text);
	r.concurrency = 20;
	ok(launch_find(&r, &aliases, &p) < 0 &&
	       strstr(p.text, "[launch:new] and [launch:many] both say"),
	   "a row that meets two: %s", p.text);
	begin("[launch:x]\nprotocol = lab\nspeed = fast\n");
	ok(launches_check(&aliases, &p) < 0 &&
	       strstr(p.text, "speed is no column"),
	   "a condition on nothing: %s", p.text);
	begin("[launch:x]\nengine = vllm\n");
	ok(launches_check(&aliases, &p) < 0 &&
	       strstr(p.text, "names no protocol"),
	   "no protocol: %s", p.text);
	begin("[launch:x]\nprotocol = lab\nranks = round\n");
	ok(launches_check(&aliases, &p) < 0 && strstr(p.text, "ranks = round"),
	   "ranks that nobody knows: %s", p.text);
	ini_free(&aliases);
	ok(launches_read(&aliases, &p) == 0 &&
	       launches_check(&aliases, &p) == 0,
	   "etc/protocols.csv");
	ok(ini_get(&aliases, "launch:int_vllm", "source") != NULL,
	   "its rows, with their sources");
	rows();
	ini_free(&aliases);
	return done();
}
