/* launch.c -- Any bytes as the flags of engines, etc/launch.csv; before a line
 * "==" as the publishers' names of models, etc/model-ids.csv.  May be refused,
 * must not crash; a flag that was read is a plain word of a shell. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "model/model_ids.h"
#include "report/recommend/flags.h"

static void check_flag(const struct flag *x)
{
	for (const char *s = x->flag; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("_-./ ", *s))
			abort();
	if (x->kind != FLAG_COMMAND && strchr(x->flag, ' '))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flags f = {0};
	struct problem p = {0};
	char *id;
	int is_quantized;
	size_t from, head = fuzz_split(data, size, &from);
	setenv("STEPCOST_DATA_PATH", fuzz_folder(), 1);
	fuzz_put("etc/model-ids.csv", data, head);
	fuzz_put("etc/launch.csv", data + from, size - from);
	if (flags_read(&f, "vllm", &p) < 0 && !p.text[0])
		abort();
	for (size_t i = 0; i < f.n && f.item[i].flag; i++) {
		check_flag(&f.item[i]);
		if (!flag_of(&f, f.item[i].key))
			abort();
	}
	flags_free(&f);
	model_ids_of(&id, "llama-3.1-8b", &is_quantized, &p);
	free(id);
	return 0;
}
