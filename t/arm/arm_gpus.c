/* The GPUs of arms: each arm may set engine keys of its own. */
#include "arm/arm_gpus.h"
#include <unistd.h>
#include "tap.h"

static struct config c;
static struct problem p;
static char path[] = "/tmp/arm_gpus.XXXXXX";

#define HEAD                                                                   \
	"[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n"      \
	"[workload]\ninput_tokens = 9\noutput_tokens = 9\nrequest_rate = 1\n"
#define ARM(name) "[cost_model:" name "]\nplugin = const_step\n"

static void load(const char *ini)
{
	FILE *f = fopen(path, "w");
	if (!f)
		bail_out("no temporary file");
	fputs(ini, f);
	fclose(f);
	config_free(&c);
	if (config_load(&c, path, NULL, 0, NULL, &p) < 0)
		bail_out(p.text);
}

static void arms(void)
{
	load(HEAD "[engine]\nreplicas = 3\n" ARM("one")
		 ARM("two") "engine.tensor_parallel_size = 2\n" ARM(
		     "many") "engine.data_parallel_size = 4\nengine.replicas = "
			     "1\n");
	ok(config_arm_gpus(&c, 0) == 3, "as [engine] says");
	ok(config_arm_gpus(&c, 1) == 6, "an arm that splits the model");
	ok(config_arm_gpus(&c, 2) == 4,
	   "an arm with ranks, and fewer replicas");
	struct engine_keys k;
	ok(config_arm_keys(&k, &c, 1, 0, &p) == 0 &&
	       k.tensor_parallel_size == 2 && k.replicas == 3,
	   "its keys");
}

static void pools(void)
{
	load(HEAD "[engine]\nkv_transfer_bandwidth_gbs = 50\n"
		  "[engine:prefill]\nreplicas = 2\n"
		  "[engine:decode]\nreplicas = 3\n" ARM("one")
		      ARM("two") "engine.tensor_parallel_size = 2\n");
	ok(config_arm_gpus(&c, 0) == 5, "both pools");
	ok(config_arm_gpus(&c, 1) == 10, "both with the arm's own keys");
}

int main(void)
{
	int fd = mkstemp(path);
	if (fd < 0)
		bail_out("no temporary file");
	close(fd);
	arms();
	pools();
	config_free(&c);
	unlink(path);
	return done();
}
