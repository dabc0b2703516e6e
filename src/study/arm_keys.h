/* study/arm_keys.h -- the keys that two arms set and in which they differ: the
 * causes that a user knows, in place of the fields that follow from them. */
#pragma once
#include "arm/arm.h"

enum { ARM_KEYS_TEXT = 200 };
/* Writes "num_speculative_tokens is 3, not 0": keys of [engine] that may change
 * a schedule, and keys of [hardware], in the words of arm `by`.  At most
 * ARM_KEYS_SAID are named.  Returns how many there are; 0: *text is "". */
enum { ARM_KEYS_SAID = 3 };
size_t arm_keys_differ(char text[ARM_KEYS_TEXT], const struct arm *of,
		       const struct arm *by);
