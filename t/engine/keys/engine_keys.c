/* What follows from the keys alone. */
#include "engine/keys/engine_keys.h"
#include "engine_of.h"
#include "tap.h"

int main(void)
{
	keys_of("[engine]\nreplicas = 3\ntensor_parallel_size = 2\n"
		"pipeline_parallel_size = 4\ndata_parallel_size = 5\n");
	ok(engine_gpus(&keys) == 120, "GPUs of all replicas");
	ok(engine_kv_format(&keys) == 0, "the checkpoint's KV format");
	keys_of("[engine]\nkv_cache_dtype = fp8\n");
	ok(engine_kv_format(&keys) == SC_FP8, "or the key's");
	ok(slo_n_keys == 3 && !strcmp(slo_key[0]->name, "ttft_ms"),
	   "keys of [slo]");
	ini_free(&ini);
	return done();
}
