/* prompt_tree.c -- Keeps who holds the nodes of a tree of prompts. */
#include "sim/route/prompt_tree.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

void prompt_tree_init(struct prompt_tree *t)
{
	*t = (struct prompt_tree){
	    .tree = {.size = sizeof(struct prompt_node), .unit = 1}};
}

void prompt_tree_free(struct prompt_tree *t)
{
	for (uint32_t i = 0; i < t->tree.n; i++)
		free(prompt_tree_at(t, i)->holder);
	radix_free(&t->tree);
}

/* ---- entering ---- */

/* Gives the tokens before `end` to a node before it, with the same holders,
 * which is returned; 0 if memory is out. */
static uint32_t split(struct prompt_tree *t, uint32_t i, uint32_t end)
{
	uint32_t n = prompt_tree_at(t, i)->n_holders;
	struct prompt_holder *holder = malloc(n * sizeof *holder);
	uint32_t front = holder || !n ? radix_split(&t->tree, i, end) : 0;
	if (!front) {
		free(holder);
		return 0;
	}
	const struct prompt_node *b = prompt_tree_at(t, i);
	struct prompt_node *a = prompt_tree_at(t, front);
	a->holder = holder;
	a->n_holders = a->cap_holders = n;
	for (uint32_t h = 0; h < n; h++) {
		holder[h] = b->holder[h];
		holder[h].below = 1;
	}
	return front;
}

uint32_t prompt_tree_enter(struct prompt_tree *t, const struct content *c,
			   uint32_t tokens)
{
	uint32_t found, node = radix_find(&t->tree, c, tokens, &found);
	int is_inside = node && found < prompt_tree_at(t, node)->is.end;
	if (is_inside)
		node = split(t, node, found);
	if (found < tokens && (node || !is_inside))
		node = radix_append(&t->tree, node, c, tokens);
	t->out_of_memory |= tokens && !node;
	return node;
}

/* ---- holders ---- */

struct prompt_holder *prompt_tree_holder(const struct prompt_tree *t,
					 uint32_t node, uint32_t replica)
{
	const struct prompt_node *a = prompt_tree_at(t, node);
	for (uint32_t k = 0; k < a->n_holders; k++)
		if (a->holder[k].replica == replica)
			return &a->holder[k];
	return NULL;
}

struct prompt_holder *prompt_tree_hold(struct prompt_tree *t, uint32_t node,
				       uint32_t replica, int *is_new)
{
	struct prompt_node *a = prompt_tree_at(t, node);
	struct prompt_holder *h = prompt_tree_holder(t, node, replica);
	*is_new = !h;
	if (h)
		return h;
	if (!MAKE_ROOM(a->holder, a->n_holders, a->cap_holders)) {
		t->out_of_memory = 1;
		return NULL;
	}
	h = &a->holder[a->n_holders++];
	*h = (struct prompt_holder){.replica = replica};
	return h;
}

void prompt_tree_leave(struct prompt_tree *t, uint32_t node, uint32_t replica)
{
	struct prompt_node *a = prompt_tree_at(t, node);
	struct prompt_holder *h = prompt_tree_holder(t, node, replica);
	size_t behind = (size_t)(a->holder + a->n_holders - (h + 1));
	memmove(h, h + 1, behind * sizeof *h);
	a->n_holders--;
	if (a->is.parent)
		prompt_tree_holder(t, a->is.parent, replica)->below--;
	if (a->n_holders)
		return;
	free(a->holder);
	radix_drop(&t->tree, node);
}
