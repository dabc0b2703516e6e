/* keys/hardware.h -- the GPU that serves: the keys of [hardware], and what a
 * cost model is told of it.  Rates are dense peaks; nothing is folded in. */
#ifndef SC_KEYS_HARDWARE_H
#define SC_KEYS_HARDWARE_H
#include <stdint.h>
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

struct hardware_keys {
	const char *config; /* a name or a path; "": the keys alone */
	const char *gpu, *architecture; /* "": not told */
	double
	    peak_tflops; /* of the format the model computes in; 0: by format */
	double fp32_tflops, bf16_tflops, fp8_tflops, fp4_tflops; /* 0: none */
	double int8_tops, int4_tops;
	double memory_bandwidth_tbs, memory_gib, usable_bytes;
	double link_bandwidth_gbs,
	    link_latency_us;                      /* one direction, in a node */
	double net_bandwidth_gbs, net_latency_us; /* between nodes */
	double l2_mb, tdp_watts, usd_per_hour;
	int64_t sm_count;
};
extern const sc_knob *const hardware_key[];
extern const uint32_t hardware_n_keys;

struct hardware {
	struct hardware_keys keys;
	char *name;      /* of the config, or "[hardware]" */
	const char *gpu; /* its key, or else the name */
	sc_hardware view;
	struct ini from; /* what the keys were read from */
};

/* From the keys of [hardware] in *c and, before them, the keys `hardware.…` of
 * a pool's section, and those of an arm's (NULL: none).  compute_format: SC_*,
 * whose peak peak_tflops is.  0, or -1 with *p (EXIT_USAGE). */
int hardware_load(struct hardware *h, const struct ini *c,
		  const char *pool_section, const char *arm_section,
		  uint32_t compute_format, struct problem *p);
/* The names under etc/hardware.  0, or -1: out of memory. */
int hardware_names(struct names *names);
/* The GPU of such a name by itself.  0, or -1 with *p.  hardware_free() in
 * either case. */
int hardware_read(struct hardware *h, const char *name, struct problem *p);
void hardware_free(struct hardware *h);
#endif
