/* engine_names.c -- Looks the names of other engines' settings up.
 *
 * They are from the command lines of vLLM (EngineArgs) and SGLang (ServerArgs)
 * and from the LLM arguments of TensorRT-LLM.  Not each is the same quantity:
 * SGLang's chunked_prefill_size leaves decodes out, mem_fraction_static is a
 * share of the whole memory, TensorRT-LLM's free_gpu_memory_fraction of the
 * free memory. */
#include "engine/engine_names.h"
#include <stdio.h>
#include <string.h>

static int has_names(const struct engine_names *n)
{
	return n->vllm || n->sglang || n->tensorrt_llm;
}

const char *engine_name_by(const char *scheduler, const char *key)
{
	const struct engine_row *r = engine_row_named(key);
	if (!r || !has_names(&r->called))
		return NULL;
	return !strcmp(scheduler, "sglang")         ? r->called.sglang
	       : !strcmp(scheduler, "tensorrt_llm") ? r->called.tensorrt_llm
						    : r->knob.name;
}

static int is(const char *theirs, const char *typed)
{
	return theirs && !strcmp(theirs, typed);
}

/* Abbreviations that people type and no engine has as its only name. */
static const struct {
	const char *typed, *key;
} short_name[] = {{"tp", "tensor_parallel_size"},
		  {"pp", "pipeline_parallel_size"},
		  {"ep", "expert_parallel_size"}};

const char *engine_name_key(const char *typed)
{
	char plain[100];
	snprintf(plain, sizeof plain, "%s", typed + strspn(typed, "-"));
	for (char *c = plain; *c; c++)
		if (*c == '-')
			*c = '_';
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const struct engine_row *r = engine_row(i);
		const struct engine_names *n = &r->called;
		if (has_names(n) &&
		    (is(r->knob.name, plain) || is(n->vllm, plain) ||
		     is(n->sglang, plain) || is(n->tensorrt_llm, plain)))
			return r->knob.name;
	}
	for (size_t i = 0; i < sizeof short_name / sizeof *short_name; i++)
		if (!strcmp(short_name[i].typed, plain))
			return short_name[i].key;
	return NULL;
}
