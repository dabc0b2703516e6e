/* kv_state.c -- Takes, keys and gives back the states of linear attention that
 * prefix caching keeps at ends of blocks. */
#include "sim/kv/kv_private.h"
#include "base/grow.h"

/* ---- taking ---- */

uint32_t kv_state_need(const struct kv_kind_use *kind, const struct kv_owner *o,
		       uint32_t own)
{
	uint32_t to = whole_divide_up(own, kind->is.block_size);
	if (!o->has_state)
		return 1 + kind->is.drafts;
	return to + kind->is.drafts > o->state_places;
}

/* Lengthens a table so that the state is at `place`: the blocks of drafts that
 * are before it move to the end.  Returns the new length. */
static uint32_t move_drafts(uint32_t *table, const struct kv_owner *o,
			    uint32_t drafts, uint32_t place)
{
	uint32_t n = o->state_places;
	while (n < place)
		table[n++] = NO_BLOCK;
	for (uint32_t i = o->state_places - drafts;
	     o->has_state && i < o->state_places && i < place; i++) {
		table[n++] = table[i];
		table[i] = NO_BLOCK;
	}
	return n;
}

int kv_state_take(struct kv *k, const struct kv_kind_use *kind,
		  const struct kv_owner *o, uint32_t own)
{
	uint32_t drafts = kind->is.drafts;
	uint32_t place = whole_divide_up(own, kind->is.block_size) - 1;
	if (kv_state_need(kind, o, own) == 0)
		return 0;
	for (uint32_t g = 0; g < kind->is.n_groups; g++) {
		uint32_t *table = kv_row(o, kind->first_group + g);
		uint32_t n = move_drafts(table, o, drafts, place);
		if (blocks_take(&k->pool, table + n, place + 1 + drafts - n))
			return -1;
	}
	return 0;
}

void kv_state_taken(const struct kv_kind_use *kind, struct kv_owner *o,
		    uint32_t own)
{
	uint32_t drafts = kind->is.drafts;
	if (kv_state_need(kind, o, own) == 0)
		return;
	o->state_before = NO_BLOCK;
	if (o->state_places)
		o->state_before =
		    o->state_places - 1 - (o->has_state ? drafts : 0);
	o->state_places = whole_divide_up(own, kind->is.block_size) + drafts;
	o->has_state = 1;
}

/* ---- keys ---- */

/* Notes the key of a state that others cannot use in this step. */
static void note_fresh(struct kv *k, uint64_t key)
{
	if (!MAKE_ROOM(k->fresh, k->n_fresh, k->cap_fresh)) {
		k->pool.out_of_memory = 1;
		return;
	}
	k->fresh[k->n_fresh++] = key;
}

static const struct kv_kind_use *first_aligned(const struct kv *k)
{
	uint32_t i = 0;
	while (!kv_is_aligned(&k->kind[i]))
		i++;
	return &k->kind[i];
}

void kv_state_key(struct kv *k, const struct kv_kind_use *kind,
		  struct kv_owner *o, uint32_t from, uint32_t to)
{
	int is_first = kind == first_aligned(k);
	for (uint32_t g = 0; g < kind->is.n_groups; g++) {
		uint32_t group = kind->first_group + g;
		const uint32_t *table = kv_row(o, group);
		for (uint32_t place = from; place < to; place++) {
			if (table[place] == NO_BLOCK)
				continue;
			kv_set_key(k, kind, group, o, place);
			if (is_first && g == 0 && !k->pool.out_of_memory)
				note_fresh(k, kv_key_at(k, kind, group,
							o->content, place));
		}
	}
}

int kv_state_is_fresh(const struct kv *k, const struct content *c,
		      uint32_t found)
{
	if (!k->n_fresh)
		return 0;
	const struct kv_kind_use *kind = first_aligned(k);
	uint64_t key = kv_key_at(k, kind, kind->first_group, c,
				 found / kind->is.block_size - 1);
	for (uint32_t i = 0; i < k->n_fresh; i++)
		if (k->fresh[i] == key)
			return 1;
	return 0;
}

/* ---- giving back ---- */

/* Gives back the block at a place of a group's table.  If a later request may
 * continue this one, a full block gets its key, so that it can be found. */
static void give_back(struct kv *k, const struct kv_kind_use *kind,
		      uint32_t group, struct kv_owner *o, uint32_t place,
		      int over)
{
	uint32_t *at = &kv_row(o, group)[place], size = kind->is.block_size;
	int is_full = place < o->keyed / size;
	int is_own = place >= o->content->shared_tokens / size;
	if (*at == NO_BLOCK)
		return;
	if (is_full && is_own && !over)
		kv_set_key(k, kind, group, o, place);
	blocks_release(&k->pool, at, 1,
		       !is_full         ? BLOCK_UNKEYED
		       : is_own && over ? BLOCK_NEVER_ASKED
					: BLOCK_KEYED);
	*at = NO_BLOCK;
}

void kv_state_drop(struct kv *k, const struct kv_kind_use *kind,
		   struct kv_owner *o, uint32_t computed)
{
	uint32_t first =
	    whole_min(kv_first_needed(kind, computed), o->state_places);
	for (uint32_t g = 0; g < kind->is.n_groups; g++) {
		uint32_t group = kind->first_group + g;
		const uint32_t *table = kv_row(o, group);
		for (uint32_t place = first;
		     place > 0 && table[place - 1] != NO_BLOCK; place--)
			give_back(k, kind, group, o, place - 1, 0);
		if (o->state_before < first)
			give_back(k, kind, group, o, o->state_before, 0);
	}
}

void kv_state_give_back(struct kv *k, const struct kv_kind_use *kind,
			struct kv_owner *o, int over)
{
	for (uint32_t g = 0; g < kind->is.n_groups; g++)
		for (uint32_t place = o->state_places; place-- > 0;)
			give_back(k, kind, kind->first_group + g, o, place,
				  over);
}
