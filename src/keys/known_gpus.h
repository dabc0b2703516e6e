/* keys/known_gpus.h -- the range of each number over the GPUs in etc/hardware:
 * a GPU that a configuration describes is
 * compared with it.  [any thread]; no
 * printing. */
#pragma once
#include "keys/hardware.h"

/* The least and the most of a key; 0 and 0: no GPU has it. */
struct known_range {
	double least, most;
	char where[40]; /* a GPU that has the most */
};
/* Fills in to[hardware_n_keys] over the GPUs that is_one accepts; is_one NULL:
 * all.  peak_tflops stands for the peak of compute_format. */
void known_ranges(struct known_range *to, uint32_t compute_format,
		  int (*is_one)(void *user, const char *gpu), void *user);
/* Returns the value of hardware_key[key]; NaN: it is a text. */
double hardware_value(const struct hardware *h, uint32_t key,
		      uint32_t compute_format);
/* Refuses a number of more than three times that of every known GPU, unless
 * is_shipped, and one that replaces the number of a file and has another unit.
 * Returns 0, or -1 with *p filled in (EXIT_USAGE): the key, the most or the
 * least that is known, and the unit that was probably meant. */
int hardware_check_known(const struct hardware *h, uint32_t compute_format,
			 struct problem *p);
