/* model/hf_modules.h -- lists of modules in a config.json: which layers'
 * matrices a quantization leaves out, or has a scheme of their own for.
 *
 * A checkpoint's entry is one of
 *   re:EXPR           a regular expression, from the start of the name
 *   a*b, a?b          a pattern, of the name or of a module above it
 *   model.layers.3.x  a module, and all below it
 *   x.y               components anywhere in the name
 * and names begin with any of the prefixes that checkpoints use. */
#ifndef SC_MODEL_HF_MODULES_H
#define SC_MODEL_HF_MODULES_H
#include <jansson.h>
#include <regex.h>
#include <stddef.h>
#include <stdint.h>

/* One module of a layer as checkpoints may call it; see hf_modules_name(). */
enum { HF_MODULE_NAMES = 40 };
struct hf_module {
	char name[HF_MODULE_NAMES][160];
	int n;
};
/* The names of `below` ("self_attn.q_proj") of layer i, in architecture type;
 * layer < 0: a module outside the layers. */
void hf_module_name(struct hf_module *m, const char *type, int64_t layer,
		    const char *below);

struct hf_modules {
	json_t *list;       /* what was read, a reference */
	json_t *exact;      /* an object: the entries that are names */
	const char **loose; /* of the list: components anywhere, patterns */
	size_t n_loose;
	regex_t *expr;
	size_t n_expr;
};
/* From a list of texts (anything else: an empty list).  0, or -1: out of
 * memory, or *bad is an entry that cannot be read. */
int hf_modules_read(struct hf_modules *l, const json_t *list, const char **bad);
int hf_modules_have(const struct hf_modules *l, const struct hf_module *m);
void hf_modules_free(struct hf_modules *l);
#endif
