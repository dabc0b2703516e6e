/* base/grow.h -- an array that doubles when it is full.
 *
 *	if (!MAKE_ROOM(list->item, list->n, list->cap))
 *		return problem_no_memory(p);
 *	list->item[list->n++] = x;
 *
 * A ring is such an array, too: item i is at (first + i) & (cap - 1).
 *
 *	if (!MAKE_RING_ROOM(ring->item, ring->first, ring->n, ring->cap))
 *		return problem_no_memory(p);
 *	ring->item[(ring->first + ring->n++) & (ring->cap - 1)] = x;
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

/* The same for a ring; its first item stays where it is. */
#define MAKE_RING_ROOM(array, first, n, cap)                                   \
	((n) < (cap) ||                                                        \
	 grow_ring(&(array), sizeof *(array), &(cap), sizeof(cap), (first)))

/* Doubles *array, a pointer to items of that size, and *cap, an integer of that
 * size.  Returns 1, or 0 if memory is out. */
int grow_array(void *array, size_t item, void *cap, size_t cap_size);
int grow_ring(void *array, size_t item, void *cap, size_t cap_size,
	      size_t first);
