/* On which sizes a model fits. */
#include "engine/memory/fits.h"
#include "engine/keys/fill.h"
#include "tap.h"

static struct ini c;
static struct model m, draft;
static struct hardware gpu;
static struct engine_keys keys;
static struct problem p;

/* 40 layers of 1.09 GB of weights, which are split 2 or 4 ways. */
#define MODEL                                                                  \
	"[model]\nnum_hidden_layers = 40\nhidden_size = 8192\n"                \
	"num_attention_heads = 4\nhead_dim = 128\n"                            \
	"intermediate_size = 21504\nvocab_size = 1000\n"

static void load(const char *gib, const char *engine)
{
	char text[1000];
	const struct engine_source from = {.ini = &c};
	snprintf(text, sizeof text,
		 MODEL "[hardware]\nbf16_tflops = 900\n"
		       "memory_bandwidth_tbs = 3\nmemory_gib = %s\n"
		       "[engine]\n%s",
		 gib, engine);
	ini_free(&c);
	model_free(&m);
	hardware_free(&gpu);
	if (ini_read(&c, text, strlen(text), &p) < 0 ||
	    model_load(&m, &c, &p) < 0 ||
	    engine_keys_fill(&keys, &from, &p) < 0 ||
	    hardware_load(&gpu, &c, NULL, NULL, SC_BF16, &p) < 0)
		bail_out(p.text);
}

static void says(const char *gib, const char *engine, const char *want)
{
	load(gib, engine);
	problem_set(&p, EXIT_USAGE, "full");
	fits_say(&p, &(struct fits_of){&keys, &m, &draft, &gpu});
	if (!ok(!strcmp(p.text, want) && p.code == EXIT_USAGE, "%s", want))
		printf("# got %s\n", p.text);
}

int main(void)
{
	setenv("STEPCOST_DATA_PATH", "t/data-that-is-not-there", 1);
	setenv("XDG_DATA_HOME", "/nowhere", 1);
	/* 0.9 of 17.18 GB less 0.9 GB: 13 layers, or all of them by four */
	says("16", "",
	     "full; it fits from tensor_parallel_size = 4 on (4 GPUs), or "
	     "from pipeline_parallel_size = 4 on (4 GPUs)");
	says("16", "pipeline_parallel_size = 2\nreplicas = 5\n",
	     "full; it fits from tensor_parallel_size = 2 on (20 GPUs), or "
	     "from pipeline_parallel_size = 4 on (20 GPUs)");
	/* 131 GB of KV: a quarter is too much, too */
	says("24", "num_gpu_blocks = 100000\n",
	     "full; it fits from pipeline_parallel_size = 8 on (8 GPUs)");
	/* no layer fits whole */
	says("2", "",
	     "full; it fits from tensor_parallel_size = 4 with "
	     "pipeline_parallel_size = 14 on (56 GPUs)");
	says("1", "", "full");
	return done();
}
