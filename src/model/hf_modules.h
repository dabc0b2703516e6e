/* model/hf_modules.h -- lists of modules in a config.json: the matrices of
 * layers that a quantization leaves out, or treats with a scheme of their own.
 *
 * An entry of a checkpoint is one of
 *   re:EXPR           a regular expression, from the start of the name
 *   a*b, a?b          a pattern, of the name or of a module above it
 *   model.layers.3.x  a module, and all below it
 *   x.y               components at any place in the name
 * Names may begin with any of the prefixes that checkpoints use. */
#pragma once
#include <jansson.h>
#include <regex.h>
#include <stddef.h>
#include <stdint.h>

/* One module of a layer under all the names that checkpoints use for it; see
 * hf_module_name(). */
enum { HF_MODULE_NAMES = 64 };
struct hf_module {
	char name[HF_MODULE_NAMES][160];
	int n;
};
/* Lists the names of `below` ("self_attn.q_proj") in layer i, for an
 * architecture; layer < 0: a module outside the layers. */
void hf_module_name(struct hf_module *m, const char *type, int64_t layer,
		    const char *below);

struct hf_modules {
	json_t *list;      /* the list that was read; we hold a reference */
	json_t *exact;     /* an object with the entries that are names */
	json_t *inside;    /* the same with those that are components */
	const char **glob; /* entries that are patterns */
	size_t n_glob;
	regex_t *expr;
	size_t n_expr;
};
/* Reads a list of texts; anything else counts as an empty list.  Returns 0, or
 * -1: memory is out, or *bad is an entry that cannot be read, or says that
 * there are too many patterns. */
int hf_modules_read(struct hf_modules *l, const json_t *list, const char **bad);
int hf_modules_have(const struct hf_modules *l, const struct hf_module *m);
void hf_modules_free(struct hf_modules *l);
