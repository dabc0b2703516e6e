/* base/grow.h -- an array that doubles when it is full.
 *
 *	if (!MAKE_ROOM(list->item, list->n, list->cap))
 *		return problem_no_memory(p);
 *	list->item[list->n++] = x;
 */
#pragma once
#include <stddef.h>

/* Makes room for one item behind the first n.  array: a pointer, NULL at first;
 * cap: how many items fit, an unsigned integer of 32 or 64 bits, 0 at first.
 * Evaluates n and cap twice.  Yields 1, or 0 if memory is out: then nothing has
 * changed. */
#define MAKE_ROOM(array, n, cap)                                               \
	((n) < (cap) ||                                                        \
	 grow_array(&(array), sizeof *(array), &(cap), sizeof(cap)))

/* Doubles *array, a pointer to items of that size, and *cap, an integer of that
 * size.  Returns 1, or 0 if memory is out. */
int grow_array(void *array, size_t item, void *cap, size_t cap_size);
