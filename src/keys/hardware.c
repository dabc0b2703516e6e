/* hardware.c -- The keys of [hardware], and the GPU as cost models see it. */
#include "keys/hardware.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "keys/datafile.h"
#include "keys/keys.h"
#include "stepcost/format.h"
#include "stepcost/knob.h"

#define DOUBLE(field, max, unit, ...)                                          \
	SC_DOUBLE(struct hardware_keys, field, "0", 0, max, unit, __VA_ARGS__)
#define LAW "power_limit_w>0"
/* A number in a smaller unit is no number of any GPU: hardware_check_known()
 * refuses it, and names the unit. */
#define MEASURE(field, unit, help) DOUBLE(field, 1e18, unit, help)

const sc_knob *const hardware_key[] = {
    KEY_TEXT_OF(struct hardware_keys, config, "",
		"A name under etc/hardware, or a path."),
    KEY_TEXT_OF(struct hardware_keys, gpu, "",
		"Its name in the MANIFESTs of table sets. Empty: the name of "
		"the config."),
    KEY_TEXT_OF(struct hardware_keys, architecture, "",
		"If a GPU has no tables, [tables] set = auto takes tables of a "
		"GPU of the same architecture. Empty: unknown."),
    MEASURE(
	peak_tflops, "TFLOP/s",
	"Dense peak of the number format that the model computes in. 0: the "
	"peak given below for that format."),
    MEASURE(fp32_tflops, "TFLOP/s", "Dense peak. 0: unsupported."),
    MEASURE(bf16_tflops, "TFLOP/s",
	    "Dense peak of BF16 and FP16. 0: unsupported."),
    MEASURE(fp8_tflops, "TFLOP/s", "Dense peak. 0: unsupported."),
    MEASURE(fp4_tflops, "TFLOP/s", "Dense peak. 0: unsupported."),
    MEASURE(int8_tops, "TOP/s", "Dense peak. 0: unsupported."),
    MEASURE(int4_tops, "TOP/s", "Dense peak. 0: unsupported."),
    MEASURE(memory_bandwidth_tbs, "TB/s", "Peak."),
    MEASURE(memory_gib, "GiB", "Of one GPU. 0: unknown."),
    DOUBLE(usable_bytes, 1e15, "byte",
	   "Memory that one program can use. 0: memory_gib."),
    MEASURE(link_bandwidth_gbs, "GB/s",
	    "Between the GPUs of a node, one direction. 0: unknown."),
    DOUBLE(link_latency_us, 1e6, "us",
	   "Of a message between the GPUs of a node. 0: unknown."),
    MEASURE(net_bandwidth_gbs, "GB/s",
	    "Between nodes, one direction. 0: unknown."),
    DOUBLE(net_latency_us, 1e6, "us",
	   "Of a message between nodes. 0: unknown."),
    MEASURE(l2_mb, "MB", "Second-level cache. 0: unknown."),
    MEASURE(tdp_watts, "W", "Rated power of one GPU. 0: unknown."),
    DOUBLE(usd_per_hour, 1e5, "USD/h",
	   "Of one GPU. 0: what the file of prices says."),
    KEY_TEXT_OF(struct hardware_keys, prices, "",
		"A CSV of list prices; a GPU costs their median. Empty: "
		"etc/prices.csv.",
		.when = "usd_per_hour=0"),
    DOUBLE(power_limit_w, 1e5, "W",
	   "With the next five a law of the GPU's power under load; 0: that of "
	   "etc/power.csv."),
    DOUBLE(power_a, 10, "1", "Share of the limit without any work.",
	   .when = LAW),
    DOUBLE(power_b, 10, "1", "Weight of the memory's share.", .when = LAW),
    DOUBLE(power_p, 10, "1", "Exponent of the memory's share.",
	   .when = LAW " & power_b>0"),
    DOUBLE(power_c, 10, "1", "Weight of the share of peak FLOP/s.",
	   .when = LAW),
    DOUBLE(power_q, 10, "1", "Exponent of the share of peak FLOP/s.",
	   .when = LAW " & power_c>0"),
    DOUBLE(idle_w, 1e5, "W",
	   "Power of a GPU without a step. 0: unknown, and counts as none."),
    DOUBLE(usd_per_kwh, 1e3, "USD/kWh", "Price of energy. 0: unknown."),
    SC_DOUBLE(struct hardware_keys, pue, "1", 1, 10, "1",
	      "Energy of the data center over that of its GPUs.",
	      .when = "usd_per_kwh>0"),
    SC_INT(struct hardware_keys, sm_count, "0", 0, 1e6, "1",
	   "Streaming multiprocessors. 0: unknown."),
};
const uint32_t hardware_n_keys = sizeof hardware_key / sizeof *hardware_key;

/* Clears the key `to` from below, which is overridden in another form. */
static int give_way(struct ini *from, const char *to, struct problem *p)
{
	const struct ini_item *item = ini_find(from, "hardware", to);
	return !item ? 0 : ini_put(from, "hardware", to, "0", item->at, p);
}

/* Refuses 0 for keys that other numbers are derived from: 0 would mean "not
 * given" there. */
static int refuse_zero(const struct ini_item *t, const char *key,
		       struct problem *p)
{
	static const char *const above_zero[] = {
	    "peak_tflops", "memory_bandwidth_tbs", "memory_gib"};
	char *end;
	for (int i = 0; i < 3; i++)
		if (!strcmp(key, above_zero[i]) &&
		    strtod(t->value, &end) == 0 && end != t->value)
			return problem_set(p, EXIT_USAGE,
					   "%s: %s = %s: must be above 0; "
					   "leave it out if it is unknown",
					   t->at, t->key, t->value);
	return 0;
}

/* Returns 1 if the key has that value already. */
static int has_value(const struct ini *from, const char *key, const char *value)
{
	const struct ini_item *t = ini_find(from, "hardware", key);
	if (t)
		return is_same_value(t->value, value);
	const sc_knob *k = knob_named(hardware_key, hardware_n_keys, key);
	return k && is_same_value(k->def, value);
}

/* Overrides keys in `from` with the keys of [section] that begin with
 * `prefix`.  Returns how many it changes, or -1. */
static int overlay(struct ini *from, const struct ini *c, const char *section,
		   const char *prefix, struct problem *p)
{
	int n = 0;
	size_t len = strlen(prefix);
	for (size_t i = 0; section && i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		const char *key = t->key + len;
		if (strcmp(t->section, section) ||
		    strncmp(t->key, prefix, len) || !strcmp(key, "config"))
			continue;
		if (refuse_zero(t, key, p) < 0)
			return -1;
		if (from->n && has_value(from, key, t->value))
			continue;
		/* A key of the same section stays, in any order. */
		const char *gives = !strcmp(key, "memory_gib") ? "usable_bytes"
				    : strstr(key, "_tflops")   ? "peak_tflops"
							       : NULL;
		if ((gives && !ini_find_behind(c, section, prefix, gives) &&
		     give_way(from, gives, p) < 0) ||
		    ini_put(from, "hardware", key, t->value, t->at, p) < 0)
			return -1;
		n++;
	}
	return n;
}

/* Reads the file that `config` names; without one the list stays empty. */
static int read_config(struct hardware *h, const struct ini *c,
		       const struct ini_item *config, struct problem *p)
{
	const struct key_table known = {hardware_key, hardware_n_keys, "",
					NULL};
	if (!config || !config->value[0]) {
		h->from.path = strdup(c->path);
		h->name = strdup("[hardware]");
		return h->from.path && h->name ? 0 : problem_no_memory(p);
	}
	char *path = datafile_config(c, config, "etc/hardware", p);
	if (!path)
		return -1;
	int rc = ini_load(&h->from, path, p);
	h->name = datafile_name(path);
	free(path);
	if (rc == 0 && !h->name)
		rc = problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < h->from.n_heads; i++)
		if (strcmp(h->from.head[i].section, "hardware"))
			rc = problem_set(p, EXIT_USAGE,
					 "%s: unknown section [%s]; allowed: "
					 "hardware",
					 h->from.head[i].at,
					 h->from.head[i].section);
	if (rc == 0 && ini_find(&h->from, "hardware", "config"))
		rc = problem_set(p, EXIT_USAGE,
				 "%s: a file named by config cannot have a key "
				 "config itself",
				 ini_find(&h->from, "hardware", "config")->at);
	return rc ? rc : keys_check(&h->from, "hardware", &known, 1, p);
}

/* Returns `hardware.KEY` of the arm, else of the pool, else KEY of [hardware];
 * NULL if none has it. */
static const struct ini_item *key_item(const struct ini *c, const char *key,
				       const char *pool, const char *arm)
{
	char name[40];
	snprintf(name, sizeof name, "hardware.%s", key);
	const struct ini_item *t = arm ? ini_find(c, arm, name) : NULL;
	if (!t && pool)
		t = ini_find(c, pool, name);
	return t ? t : ini_find(c, "hardware", key);
}

/* Returns the path of the file of prices; "" if there is none.  NULL with *p.
 * The caller frees it. */
static char *prices_path(const struct hardware *h, const struct ini *c,
			 const char *pool, const char *arm, struct problem *p)
{
	struct problem none;
	const struct ini_item *t = key_item(c, "prices", pool, arm);
	char *path = NULL;
	if (t && t->value[0])
		path = datafile_path(c, t);
	else if ((t = ini_find(&h->from, "hardware", "prices")) && t->value[0])
		path = datafile_path(&h->from, t);
	else if (!(path = datafile_find("etc", "prices", ".csv", &none)))
		path = strdup("");
	if (!path)
		problem_no_memory(p);
	return path;
}

/* A price that is configured goes before those of the file.  There a GPU is
 * known by the name of its config, or else by its key `gpu`. */
static int find_price(struct hardware *h, const struct ini *c, const char *pool,
		      const char *arm, struct problem *p)
{
	h->price = (struct price){.usd_per_hour = h->keys.usd_per_hour};
	if (h->keys.usd_per_hour > 0)
		return 0;
	char *path = prices_path(h, c, pool, arm, p);
	int rc = path ? 0 : -1;
	if (rc == 0 && *path)
		rc = prices_find(path, h->name, &h->price, p);
	if (rc == 0 && *path && !h->price.lists)
		rc = prices_find(path, h->gpu, &h->price, p);
	free(path);
	h->keys.usd_per_hour = h->price.usd_per_hour;
	return rc;
}

/* A GPU with work takes power, and no less than one without. */
static int check_power(const struct hardware *h, struct problem *p)
{
	const struct power_law *l = &h->power;
	double most = power_watts(l, 1, 1);
	if (!(most > 0))
		return problem_set(p, EXIT_USAGE,
				   "[hardware] %s: power_limit_w = %g needs "
				   "power_a, power_b or power_c above 0, the "
				   "shares of the limit that a GPU takes; "
				   "without power_limit_w the law of "
				   "etc/power.csv is used",
				   h->name, l->limit_w);
	if (l->idle_w > most)
		return problem_set(p, EXIT_USAGE,
				   "[hardware] %s: idle_w = %g is above the "
				   "power of a GPU with all the work that it "
				   "can do, %.4g W by %s",
				   h->name, l->idle_w, most,
				   h->keys.power_limit_w > 0
				       ? "power_limit_w and the keys with it"
				       : "etc/power.csv");
	return 0;
}

/* Takes the power law of [hardware], or that of the GPU in the data file. */
static int find_power(struct hardware *h, struct problem *p)
{
	const struct hardware_keys *k = &h->keys;
	const double joules_per_kwh = 3.6e6;
	int is_own = k->power_limit_w > 0;
	if (!is_own && (k->power_a > 0 || k->power_b > 0 || k->power_c > 0))
		return problem_set(p, EXIT_USAGE,
				   "[hardware] %s: power_a, power_b and "
				   "power_c need power_limit_w",
				   h->name);
	if (!is_own && power_find(h->gpu, &h->power, p) < 0)
		return -1;
	if (is_own)
		h->power = (struct power_law){.limit_w = k->power_limit_w,
					      .a = k->power_a,
					      .b = k->power_b,
					      .p = k->power_p,
					      .c = k->power_c,
					      .q = k->power_q};
	h->power.idle_w = k->idle_w;
	h->power.usd_per_joule = k->usd_per_kwh * k->pue / joules_per_kwh;
	h->power.usd_per_hour = k->usd_per_hour;
	return h->power.limit_w > 0 ? check_power(h, p) : 0;
}

/* Makes the GPU as cost models see it from its keys, in SI units. */
static void view(struct hardware *h, uint32_t compute_format)
{
	const struct hardware_keys *k = &h->keys;
	double *peak = h->view.peak_flops;
	h->view = (sc_hardware){
	    .size = sizeof h->view,
	    .sm_count = (uint32_t)k->sm_count,
	    .name = h->name,
	    .mem_bandwidth = k->memory_bandwidth_tbs * 1e12,
	    .mem_bytes =
		k->usable_bytes > 0 ? k->usable_bytes : k->memory_gib * 0x1p30,
	    .l2_bytes = k->l2_mb * 1e6,
	    .link_bandwidth = k->link_bandwidth_gbs * 1e9,
	    .link_latency_us = k->link_latency_us,
	    .net_bandwidth = k->net_bandwidth_gbs * 1e9,
	    .net_latency_us = k->net_latency_us,
	    .tdp_watts = k->tdp_watts,
	    .usd_per_hour = k->usd_per_hour,
	};
	peak[SC_FP32] = k->fp32_tflops * 1e12;
	peak[SC_BF16] = peak[SC_FP16] = k->bf16_tflops * 1e12;
	peak[SC_FP8] = k->fp8_tflops * 1e12;
	peak[SC_FP4] = k->fp4_tflops * 1e12;
	peak[SC_INT8] = k->int8_tops * 1e12;
	peak[SC_INT4] = k->int4_tops * 1e12;
	if (k->peak_tflops > 0) {
		peak[compute_format] = k->peak_tflops * 1e12;
		if (compute_format == SC_BF16 || compute_format == SC_FP16)
			peak[SC_BF16] = peak[SC_FP16] = k->peak_tflops * 1e12;
	}
}

/* A file that was copied from another GPU may have kept one of the two keys. */
static int check_memory(const struct hardware *h, struct problem *p)
{
	const struct hardware_keys *k = &h->keys;
	if (k->memory_gib > 0 && k->usable_bytes > k->memory_gib * 0x1p30)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: usable_bytes = %g is more than memory_gib = %g; leave "
		    "it out if it is unknown",
		    ini_find(&h->from, "hardware", "usable_bytes")->at,
		    k->usable_bytes, k->memory_gib);
	return 0;
}

/* Fills in the keys, and the names. */
static int fill(struct hardware *h, const struct ini_item *config,
		struct problem *p)
{
	if (knobs_fill(&h->keys, hardware_key, hardware_n_keys, NULL, &h->from,
		       "hardware", "", p) < 0)
		return -1;
	if (config)
		h->keys.config = config->value;
	h->gpu = h->keys.gpu[0] ? h->keys.gpu : h->name;
	return 0;
}

int hardware_load_file(struct hardware *h, const struct ini *c,
		       const char *pool_section, const char *arm_section,
		       uint32_t compute_format, struct problem *p)
{
	const struct ini_item *config =
	    key_item(c, "config", pool_section, arm_section);
	*h = (struct hardware){0};
	if (read_config(h, c, config, p) < 0 || fill(h, config, p) < 0)
		return -1;
	view(h, compute_format);
	return 0;
}

/* Overrides keys of the file.  Returns how many, or -1. */
static int overlay_all(struct hardware *h, const struct ini *c,
		       const char *pool_section, const char *arm_section,
		       struct problem *p)
{
	const struct {
		const char *section, *prefix;
	} from[] = {{"hardware", ""},
		    {pool_section, "hardware."},
		    {arm_section, "hardware."}};
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		int n =
		    overlay(&h->from, c, from[i].section, from[i].prefix, p);
		if (n < 0)
			return -1;
		sum += n;
	}
	return sum;
}

/* A word that no known GPU has would leave the GPU without relatives, and so
 * without tables, silently. */
static int check_architecture(const struct hardware *h, struct problem *p)
{
	static const char *const known[] = {"Volta", "Turing", "Ampere",
					    "Ada",   "Hopper", "Blackwell",
					    "CDNA3", "CDNA4"};
	const char *is = h->keys.architecture;
	struct nearest near;
	char hint[100];
	nearest_start(&near, is);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (!*is || !strcasecmp(is, known[i]))
			return 0;
		nearest_try(&near, known[i]);
	}
	return problem_set(p, EXIT_USAGE,
			   "%s: architecture = %s is none of Volta, Turing, "
			   "Ampere, Ada, Hopper, Blackwell, CDNA3, CDNA4%s; "
			   "leave it empty for another one",
			   ini_find(&h->from, "hardware", "architecture")->at,
			   is, nearest_hint(&near, hint));
}

int hardware_load(struct hardware *h, const struct ini *c,
		  const char *pool_section, const char *arm_section,
		  uint32_t compute_format, struct problem *p)
{
	const struct ini_item *config =
	    key_item(c, "config", pool_section, arm_section);
	int n;
	*h = (struct hardware){0};
	if (read_config(h, c, config, p) < 0 ||
	    (n = overlay_all(h, c, pool_section, arm_section, p)) < 0 ||
	    fill(h, config, p) < 0 || check_architecture(h, p) < 0)
		return -1;
	if (h->from.n && (find_price(h, c, pool_section, arm_section, p) < 0 ||
			  find_power(h, p) < 0))
		return -1;
	view(h, compute_format);
	if (h->from.n == 0) /* no [hardware]: everything is unknown */
		return 0;
	h->is_shipped = config && !strchr(config->value, '/') && n == 0;
	if (!(h->view.mem_bandwidth > 0) && config)
		return problem_set(p, EXIT_USAGE,
				   "%s: config = %s has no "
				   "memory_bandwidth_tbs",
				   config->at, config->value);
	if (!(h->view.mem_bandwidth > 0))
		return problem_set(p, EXIT_USAGE,
				   "%s: [hardware] needs config or "
				   "memory_bandwidth_tbs",
				   ini_section_at(c, "hardware"));
	if (!(h->view.peak_flops[compute_format] > 0))
		return problem_set(p, EXIT_USAGE,
				   "%s: [hardware] %s has no peak for %s, "
				   "which the model computes in; give "
				   "peak_tflops, or take another model",
				   ini_section_at(c, "hardware"), h->name,
				   sc_format_name(compute_format));
	return check_memory(h, p);
}

int hardware_names(struct names *names)
{
	struct searchpath folders;
	int rc = datafile_folders(&folders, "etc/hardware");
	for (size_t i = 0; rc == 0 && i < folders.folder.n; i++)
		rc = names_add_files(names, folders.folder.item[i], ".ini");
	searchpath_free(&folders);
	return rc;
}

int hardware_read(struct hardware *h, const char *name, struct problem *p)
{
	struct ini c = {0};
	*h = (struct hardware){0};
	int rc = ini_put(&c, "hardware", "config", name, "etc/hardware", p);
	if (rc == 0)
		rc = hardware_load(h, &c, NULL, NULL, SC_BF16, p);
	h->keys.config = "";
	ini_free(&c);
	return rc;
}

void hardware_free(struct hardware *h)
{
	ini_free(&h->from);
	free(h->name);
	*h = (struct hardware){0};
}
