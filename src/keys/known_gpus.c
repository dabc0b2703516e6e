/* known_gpus.c -- Compares a GPU with those in etc/hardware. */
#include "keys/known_gpus.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double hardware_value(const struct hardware *h, uint32_t key,
		      uint32_t compute_format)
{
	const sc_knob *k = hardware_key[key];
	const char *at = (const char *)&h->keys + k->offset;
	double real;
	int64_t whole;
	if (!strcmp(k->name, "peak_tflops"))
		return h->view.peak_flops[compute_format] / 1e12;
	switch (k->type) {
	case SC_KNOB_DOUBLE:
		memcpy(&real, at, sizeof real);
		return real;
	case SC_KNOB_INT:
		memcpy(&whole, at, sizeof whole);
		return (double)whole;
	default:
		return NAN;
	}
}

static void widen(struct known_range *r, const struct hardware *h, double v)
{
	if (!(v > 0))
		return;
	if (!(r->least > 0) || v < r->least)
		r->least = v;
	if (v <= r->most)
		return;
	r->most = v;
	snprintf(r->where, sizeof r->where, "%s", h->name);
}

void known_ranges(struct known_range *to, uint32_t compute_format,
		  int (*is_one)(void *user, const char *gpu), void *user)
{
	struct names all = {0};
	memset(to, 0, hardware_n_keys * sizeof *to);
	int rc = hardware_names(&all);
	for (size_t i = 0; rc == 0 && i < all.n; i++) {
		struct hardware h;
		struct problem unused;
		if (is_one && !is_one(user, all.item[i]))
			continue;
		if (hardware_read(&h, all.item[i], &unused) == 0)
			for (uint32_t k = 0; k < hardware_n_keys; k++)
				widen(&to[k], &h,
				      hardware_value(&h, k, compute_format));
		hardware_free(&h);
	}
	names_free(&all);
}

/* ---- the unit that was probably meant ---- */

static const char prefix[] = "kMGTP";

/* Writes "GB/s" for "TB/s" and -1, "MB/s" for -2.  Returns 0 if there is no
 * such prefix. */
static int other_unit(char *to, size_t size, const char *unit, int thousands)
{
	const char *at = strchr(prefix, unit[0]);
	int has = at && *at && unit[1] && strchr("BFOi", unit[1]);
	int place = (has ? (int)(at - prefix) + 1 : 0) + thousands;
	if (place < 0 || place > (int)strlen(prefix))
		return 0;
	const char *base = unit + has;
	if (place)
		snprintf(to, size, "%c%s", prefix[place - 1], base);
	else
		snprintf(to, size, "%s", base + (base[0] == 'i'));
	return 1;
}

/* Writes "; 3350 GB/s are 3.35 TB/s" if the value is about one of a known GPU
 * in another unit, else "".  sign: -1 for smaller units, 1 for larger ones.
 * Returns 1 if it is. */
static int in_other_unit(char *to, size_t size, const sc_knob *k, double v,
			 const struct known_range *r, int sign)
{
	const double thousand = strchr(k->unit, 'i') ? 1024 : 1000;
	const double slack = sign < 0 ? 3 : 1;
	char unit[20];
	to[0] = '\0';
	for (int n = 1; n <= 4; n++) {
		double is = v * pow(thousand, sign * n);
		if (is < r->least / slack || is > slack * r->most ||
		    !other_unit(unit, sizeof unit, k->unit, sign * n))
			continue;
		snprintf(to, size, "; %.7g %s are %.4g %s", v, unit, is,
			 k->unit);
		return 1;
	}
	return 0;
}

/* These say nothing about how fast a GPU is. */
static int is_free(const sc_knob *k)
{
	return !strcmp(k->name, "usd_per_hour") ||
	       !strcmp(k->name, "link_latency_us") ||
	       !strcmp(k->name, "net_latency_us");
}

/* Returns 1 if the key overrides that of the file that `config` names. */
static int is_override(const struct hardware *h, const struct ini_item *t)
{
	size_t n = strlen(h->from.path);
	return h->keys.config[0] && strncmp(t->at, h->from.path, n);
}

/* Checks one key.  A GPU may be slower than all that are known, but a number
 * that replaces a known one and is a thousandth of it has another unit. */
static int check(const struct hardware *h, uint32_t key, double v,
		 const struct known_range *r, struct problem *p)
{
	const sc_knob *k = hardware_key[key];
	const struct ini_item *t = ini_find(&h->from, "hardware", k->name);
	char hint[100];
	if (!t || !(v > 0) || is_free(k) || !(r->most > 0))
		return 0;
	if (v < r->least / 3 && is_override(h, t) &&
	    in_other_unit(hint, sizeof hint, k, v, r, 1))
		return problem_set(p, EXIT_USAGE,
				   "%s: %s = %s: less than a third of that of "
				   "every known GPU (%.6g)%s",
				   t->at, k->name, t->value, r->least, hint);
	if (v <= 3 * r->most)
		return 0;
	in_other_unit(hint, sizeof hint, k, v, r, -1);
	return problem_set(p, EXIT_USAGE,
			   "%s: %s = %s: more than three times that of every "
			   "known GPU (%.6g of %s)%s",
			   t->at, k->name, t->value, r->most, r->where, hint);
}

int hardware_check_known(const struct hardware *h, uint32_t compute_format,
			 struct problem *p)
{
	if (h->is_shipped || h->from.n == 0)
		return 0;
	struct known_range *r = calloc(hardware_n_keys, sizeof *r);
	int rc = r ? 0 : problem_no_memory(p);
	if (rc == 0)
		known_ranges(r, compute_format, NULL, NULL);
	for (uint32_t i = 0; rc == 0 && i < hardware_n_keys; i++)
		rc =
		    check(h, i, hardware_value(h, i, compute_format), &r[i], p);
	free(r);
	return rc;
}
