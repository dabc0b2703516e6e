/* api/items.h -- the pictures and sounds of a prompt, in its order.  Zeroed
 * means none; the owner frees `item`. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct prompt_item {
	uint32_t offset, length; /* tokens */
	char name[20];           /* hash of its content, 16 hex digits */
};
struct prompt_items {
	struct prompt_item *item; /* [n] */
	size_t n, cap;
};
