/* api/answer_text.h -- the tokens of an answer: English words of at most 6
 * small letters, each one token with its space, and now and then '.'.  They are
 * a function of a key and of the place alone, and cutting their text gives the
 * same tokens again.  [any thread] */
#pragma once
#include <stdint.h>
#include "api/ids.h"

struct answer_source {
	uint64_t key;
	int begins_bare; /* 1: the first word has no space (a chat's answer) */
	/* With n > 0: these tokens again and again, instead of words. */
	const uint32_t *echo;
	size_t n_echo;
};
/* Returns the key of an answer: a function of the prompt, the choice and the
 * two seeds. */
uint64_t answer_key(const struct ids *prompt, uint32_t choice, uint64_t seed,
		    uint64_t server_seed);
/* Returns token i. */
uint32_t answer_token(const struct answer_source *s, uint64_t i);
