/* The command lines of serving engines as facts. */
#include "report/recommend/flags.h"
#include "scratch.h"

static struct problem why;

/* A row of a table, and what becomes of it. */
static void each_row(void)
{
	static const struct {
		const char *row;
		int kind, type;
		const char *says; /* NULL: it is a flag */
	} some[] = {{"--a,int", FLAG_VALUE, FLAG_INT, NULL},
		    {"--a.b/c_d,float", FLAG_VALUE, FLAG_FLOAT, NULL},
		    {"--a,json", FLAG_VALUE, FLAG_JSON, NULL},
		    {"--a,text", FLAG_VALUE, FLAG_TEXT, NULL},
		    {"--a,true", FLAG_TRUE, FLAG_TEXT, NULL},
		    {"--a,switch", FLAG_SWITCH, FLAG_TEXT, NULL},
		    {"a.b,file", FLAG_FILE, FLAG_TEXT, NULL},
		    {"a b,command", FLAG_COMMAND, FLAG_TEXT, NULL},
		    {"a/b:1,image", FLAG_IMAGE, FLAG_TEXT, NULL},
		    {"a,int", 0, 0, ":2: a flag begins with --"},
		    {"--a b,int", 0, 0, ":2: a flag has letters, digits"},
		    {"a:b,command", 0, 0, ":2: a flag has letters, digits"},
		    {"a b,image", 0, 0, ":2: a flag has letters, digits"},
		    {"--a;b,int", 0, 0, ":2: a flag has letters, digits"}};
	scratch_folder("etc");
	setenv("STEPCOST_DATA_PATH", scratch_path(""), 1);
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		struct flags f = {0};
		char text[200];
		snprintf(text, sizeof text,
			 "engine,version,key,flag,type\nvllm,1,k,%s\n"
			 "sglang,1,k,?,int\n",
			 some[i].row);
		scratch_file("etc/launch.csv", text);
		why = (struct problem){0};
		int rc = flags_read(&f, "vllm", &why);
		if (some[i].says)
			ok(rc < 0 && why.code == EXIT_INPUT &&
			       strstr(why.text, some[i].says),
			   "%s: %s", some[i].row, why.text);
		else
			ok(rc == 0 && f.n == 1 &&
			       (int)f.item[0].kind == some[i].kind &&
			       (int)f.item[0].type == some[i].type,
			   "%s: %s", some[i].row, why.text);
		flags_free(&f);
	}
	struct flags f = {0};
	scratch_file("etc/launch.csv", "engine,version,key,flag\n");
	ok(flags_read(&f, "vllm", &why) < 0 &&
	       strstr(why.text, "not engine,version,key,flag,type,..."),
	   "%s", why.text);
	flags_free(&f);
}

int main(void)
{
	scratch_open();
	struct flags f = {0};
	ok(flags_read(&f, "vllm", &why) == 0 && f.n > 10, "%zu of vLLM", f.n);
	is(flag_of(&f, "max_num_seqs")->flag, "--max-num-seqs", "a flag");
	ok(flag_of(&f, "enable_expert_parallel")->kind == FLAG_TRUE,
	   "one without a value");
	ok(!flag_of(&f, "routing"), "a key that vLLM does not have");
	flags_free(&f);
	ok(flags_read(&f, "tensorrt_llm", &why) == 0 &&
	       flag_of(&f, "kv_cache_dtype")->kind == FLAG_FILE,
	   "a key of a file");
	flags_free(&f);
	each_row();
	return done();
}
