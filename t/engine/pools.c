/* Prefill and decode apart. */
#include "engine/pools.h"
#include "engine/equal_schedules.h"
#include "engine_of.h"
#include "tap.h"

static void under_a_preset(void)
{
#define SIZED                                                                  \
	"[engine]\npreset = vllm-0.24\nmax_num_seqs = 2\n"                     \
	"max_num_batched_tokens = 8\n"
	ok(engine_of(SIZED "replicas = 2\nprefill_replicas = 1\nproxy_us = 5\n",
		     &h100) == 0 &&
	       e.kv_connector == KV_PULL && e.proxy_ns == 5000 &&
	       engine_first_token_pool(&e) == 1,
	   "a preset pulls KV caches");
	ok(engine_of(SIZED "replicas = 2\nprefill_replicas = 1\n"
			   "pd_first_token = prefill\n",
		     &h100) == 0 &&
	       engine_first_token_pool(&e) == 0,
	   "the first token may be the prefill replica's");
	refused("[engine]\nkv_connector = pull\n",
		":2: kv_connector needs a preset");
}

static void sizes(void)
{
	struct engine_facts no_link = h100;
	no_link.link_bytes_per_s = 0;
	refused("[engine]\nreplicas = 2\nprefill_replicas = 2\n",
		":3: prefill_replicas = 2: must be fewer than replicas = 2, so "
		"that "
		"one generates");
	ok(engine_of("[engine]\nreplicas = 2\nprefill_replicas = 1\n",
		     &no_link) < 0 &&
	       strstr(problem.text, "kv_transfer_bandwidth_gbs must be known"),
	   "%s", problem.text);
	ok(engine_of("[engine]\nreplicas = 2\nprefill_replicas = 1\n"
		     "kv_transfer_bandwidth_gbs = 3\n",
		     &no_link) == 0 &&
	       e.kv_transfer_bytes_per_s == 3e9,
	   "unless the key gives it");
}

static void joined(void)
{
	struct engine one, other;
	engine_of("[engine]\nreplicas = 2\n", &h100);
	other = e;
	engine_of("[engine]\nreplicas = 3\n", &h100);
	one = e;
	ok(engine_join(&one, &other, NULL, &problem) == 0 &&
	       one.replicas == 5 && one.prefill_replicas == 3,
	   "two engines are one of two pools");
	ok(engine_pool_of(&one, 2) == 0 && engine_of_replica(&one, 2) == &one &&
	       engine_of_replica(&one, 3) == &other,
	   "the first replicas compute prompts");
	ok(!engine_schedules_are_equal(&one, &e), "which is another schedule");
	other.proxy_ns = 1;
	ok(engine_join(&e, &other, NULL, &problem) < 0, "%s", problem.text);
}

int main(void)
{
	under_a_preset();
	sizes();
	joined();
	ini_free(&ini);
	return done();
}
