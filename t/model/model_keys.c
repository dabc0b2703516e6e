/* The two tables of keys, and the keys that are written. */
#include "model/model_keys.h"
#include "tap.h"
#include "keys/when.h"

static struct ini c;
static struct problem p;
static struct model_keys k;

static int fill(const char *text)
{
	ini_free(&c);
	if (ini_read(&c, text, strlen(text), &p) < 0)
		bail_out(p.text);
	return knobs_fill(&k, model_key, model_n_keys, NULL, &c, "model", "",
			  &p);
}

#define NEEDED                                                                 \
	"[model]\nnum_hidden_layers=1\nhidden_size=8\nnum_attention_heads=2\n" \
	"vocab_size=3\n"

static int is_named(const char *name, const sc_knob *const *knob, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(knob[i]->name, name))
			return 1;
	return 0;
}

static void tables(void)
{
	int twice = 0, wrong = 0;
	for (uint32_t i = 0; i < model_n_keys; i++) {
		twice += is_named(model_key[i]->name, model_key, i);
		wrong += model_key[i]->when &&
			 when_check(model_key[i]->when, model_key, model_n_keys,
				    &p) < 0;
	}
	ok(twice == 0, "no key is in the table twice");
	ok(wrong == 0, "conditions name keys of the table");
	ok(fill(NEEDED) == 0, "defaults: %s", p.text);
	ok(k.num_experts == 0 && k.gated_mlp && k.kv_proj && k.final_norm &&
	       k.sampling == SC_SAMPLING_UNKNOWN && !k.layers[0],
	   "are a plain dense model's");
	ok(fill(NEEDED "sampling = top_p\n") == 0 &&
	       k.sampling == SC_SAMPLING_TOP_P,
	   "sampling is counted as the ABI does");
	ok(fill("[model]\nhidden_size=8\n") < 0 &&
	       strstr(p.text, "num_hidden_layers"),
	   "%s", p.text);
	ok(model_key_is_whole("vocab_size") && model_key_is_whole("layers") &&
	       !model_key_is_whole("head_dim"),
	   "keys of the whole model");
}

static char *written(void)
{
	char *text = NULL;
	size_t size;
	struct jw j;
	FILE *f = open_memstream(&text, &size);
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	model_keys_write(&j, &k);
	jw_end(&j);
	jw_finish(&j);
	fclose(f);
	return text;
}

static void writing(void)
{
	fill(NEEDED "index_topk = 64\n");
	char *text = written();
	ok(strstr(text, "\"num_experts\": 0") != NULL,
	   "keys of every model are written");
	ok(strstr(text, "\"index_topk\": 64") && !strstr(text, "index_n_heads"),
	   "of the others those that are given");
	free(text);
}

int main(void)
{
	tables();
	writing();
	ini_free(&c);
	return done();
}
