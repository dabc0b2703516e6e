/* base/heap.h -- a binary heap: an array with the item that comes first at 0.
 *
 *	HEAP_ADD(heap, n, x, is_before);
 *	first = heap[0];
 *	HEAP_DROP(heap, n, is_before);
 *
 * heap: a pointer to n items.  is_before(a, b): takes pointers to two items,
 * and returns 1 if a comes before b.  The macros evaluate what they are given
 * more than once. */
#pragma once
#include <stddef.h>

/* Adds the variable x; there is room for it. */
#define HEAP_ADD(heap, n, x, is_before)                                        \
	do {                                                                   \
		size_t at_ = (n)++;                                            \
		for (; at_ && is_before(&(x), &(heap)[(at_ - 1) / 2]);         \
		     at_ = (at_ - 1) / 2)                                      \
			(heap)[at_] = (heap)[(at_ - 1) / 2];                   \
		(heap)[at_] = (x);                                             \
	} while (0)

/* Removes item 0 of one or more. */
#define HEAP_DROP(heap, n, is_before)                                          \
	do {                                                                   \
		size_t at_ = 0, next_, last_ = --(n);                          \
		for (; (next_ = 2 * at_ + 1) < last_; at_ = next_) {           \
			next_ +=                                               \
			    next_ + 1 < last_ &&                               \
			    is_before(&(heap)[next_ + 1], &(heap)[next_]);     \
			if (!is_before(&(heap)[next_], &(heap)[last_]))        \
				break;                                         \
			(heap)[at_] = (heap)[next_];                           \
		}                                                              \
		(heap)[at_] = (heap)[last_];                                   \
	} while (0)
