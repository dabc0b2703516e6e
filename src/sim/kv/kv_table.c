/* kv_table.c -- Shows the blocks of a request in one KV-cache group. */
#include "sim/kv/kv_table.h"
#include "sim/kv/kv_private.h"

struct kv_table kv_table(const struct kv *k, const struct kv_owner *o,
			 uint32_t group)
{
	uint32_t i = k->n_kinds - 1;
	while (k->kind[i].first_group > group)
		i--;
	return (struct kv_table){
	    .block = o->block + (size_t)group * o->cap,
	    .first = kv_first_needed(&k->kind[i], o->dropped),
	    .n = kv_length(&k->kind[i], o),
	};
}
