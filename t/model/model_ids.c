/* Publishers' names of models, both ways. */
#include "model/model_ids.h"
#include <stdlib.h>
#include "tap.h"

static struct problem why;

static void named(const char *model, const char *want, int want_note)
{
	char *id = NULL;
	int is_quantized = -1;
	int rc = model_ids_of(&id, model, &is_quantized, &why);
	ok(rc == 0 && (want ? id && !strcmp(id, want) : !id) &&
	       is_quantized == want_note,
	   "%s is %s", model, id ? id : "not listed");
	free(id);
}

static void found(const char *id, const char *want)
{
	char *model = NULL;
	int rc = model_ids_find(&model, id, &why);
	ok(rc == 0 && (want ? model && !strcmp(model, want) : !model), "%s: %s",
	   id, model ? model : "none");
	free(model);
}

int main(void)
{
	named("llama-3.1-8b", "meta-llama/Llama-3.1-8B", 0);
	named("llama-2-70b-fp8", "meta-llama/Llama-2-70b-chat-hf", 1);
	named("mine", NULL, 0);
	found("meta-llama/Llama-3.1-8B", "llama-3.1-8b");
	found("META-LLAMA/llama-3.1-8b-instruct", "llama-3.1-8b");
	found("Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b");
	found("meta-llama/Llama-2-70b-chat-hf", "llama-2-70b");
	found("nobody/Nothing", NULL);
	return done();
}
