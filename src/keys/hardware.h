/* keys/hardware.h -- the GPU that serves: the keys of [hardware], and the
 * struct that cost models see.  Rates are dense peaks without any
 * efficiency. */
#pragma once
#include <stdint.h>
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"
#include "keys/power.h"
#include "keys/prices.h"
#include "stepcost/plugin.h"

struct hardware_keys {
	const char *config; /* a name or a path; "": only the keys */
	const char *gpu, *architecture; /* "": not given */
	/* of the model's compute format; 0: see the next lines */
	double peak_tflops;
	/* 0: not supported */
	double fp32_tflops, bf16_tflops, fp8_tflops, fp4_tflops;
	double int8_tops, int4_tops;
	double memory_bandwidth_tbs, memory_gib, usable_bytes;
	/* one direction, within a node */
	double link_bandwidth_gbs, link_latency_us;
	double net_bandwidth_gbs, net_latency_us; /* between nodes */
	double l2_mb, tdp_watts;
	double usd_per_hour; /* of the file of prices, if not given          */
	const char *prices;  /* that file; "": etc/prices.csv                */
	/* a power law of the user's; power_limit_w 0: that of etc/power.csv  */
	double power_limit_w, power_a, power_b, power_p, power_c, power_q;
	double idle_w; /* 0: time without a step takes no energy        */
	double usd_per_kwh, pue;
	int64_t sm_count;
};
extern const sc_knob *const hardware_key[];
extern const uint32_t hardware_n_keys;

struct hardware {
	struct hardware_keys keys;
	char *name;      /* name of the config, or "[hardware]" */
	const char *gpu; /* the key `gpu`, or else the name */
	int is_shipped;  /* 1: a file found by its name, without other keys */
	sc_hardware view;
	struct price price;     /* usd_per_hour 0: none is known */
	struct power_law power; /* limit_w 0: none is known */
	struct ini from;        /* the keys as they were read */
};

/* Reads the keys of [hardware] in *c; the keys `hardware.…` in the section of
 * an arm override those of a pool, which override [hardware].  A section may be
 * NULL.  compute_format (SC_*): peak_tflops is the peak of this format.
 * Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int hardware_load(struct hardware *h, const struct ini *c,
		  const char *pool_section, const char *arm_section,
		  uint32_t compute_format, struct problem *p);
/* The same without the keys that override the file that `config` names; without
 * that key everything is unknown. */
int hardware_load_file(struct hardware *h, const struct ini *c,
		       const char *pool_section, const char *arm_section,
		       uint32_t compute_format, struct problem *p);
/* Lists the names in etc/hardware.  Returns 0, or -1 if memory is out. */
int hardware_names(struct names *names);
/* Reads the GPU of that name alone.  Returns 0, or -1 with *p filled in.  The
 * caller calls hardware_free() in either case. */
int hardware_read(struct hardware *h, const char *name, struct problem *p);
void hardware_free(struct hardware *h);
