/* outside.c -- Describes what requests meet outside of steps. */
#include "report/results/outside.h"
#include <stdlib.h>
#include <string.h>
#include "arm/arm_gpus.h"
#include "base/text.h"
#include "engine/front_ends.h"
#include "engine/keys/rows.h"
#include "keys/keys.h"

/* The engines of an arm: in one piece, or of prompts and of tokens. */
struct outside {
	struct engine_keys pool[2]; /* the same in one piece */
	int is_apart, has_pools;
	double kv_gbs; /* to a decode replica, or to each of its GPUs */
};

static double link_gbs(const struct config *c, size_t arm)
{
	struct hardware h;
	struct problem none;
	double gbs = 0;
	if (hardware_load(&h, &c->cfg, config_pool(c, arm, 1),
			  c->arm[arm].section, c->model.view.compute_format,
			  &none) == 0)
		gbs = h.keys.link_bandwidth_gbs;
	hardware_free(&h);
	return gbs;
}

/* Returns 0, or -1 if the keys of the arm are refused. */
static int outside_of(struct outside *o, const struct config *c, size_t arm)
{
	struct problem none;
	*o = (struct outside){.has_pools = config_pool(c, arm, 0) != NULL};
	for (uint32_t pool = 0; pool < 2; pool++)
		if (config_arm_keys(&o->pool[pool], c, arm,
				    o->has_pools ? pool : 0, &none) < 0)
			return -1;
	o->is_apart = o->has_pools || o->pool[0].prefill_replicas > 0;
	o->kv_gbs = o->pool[1].kv_transfer_bandwidth_gbs;
	if (o->is_apart && !(o->kv_gbs > 0))
		o->kv_gbs = link_gbs(c, arm);
	return 0;
}

static const char *source_of(const struct outside *o)
{
	const struct engine_keys *k = &o->pool[0];
	return k->front_end == FRONT_END_MEASURED
		   ? engine_front_end_source((enum engine_preset)k->preset,
					     o->is_apart)
		   : NULL;
}

/* ---- as text ---- */

static void write_router(const struct outside *o, FILE *f)
{
	const struct engine_keys *k = &o->pool[0];
	int64_t decode = o->has_pools ? o->pool[1].replicas
				      : k->replicas - k->prefill_replicas;
	int64_t prefill = o->has_pools ? k->replicas : k->prefill_replicas;
	if (o->is_apart)
		fprintf(f, "%lld prefill and %lld decode replicas behind %s; ",
			(long long)prefill, (long long)decode,
			routing_words[k->routing]);
	else if (k->replicas > 1)
		fprintf(f, "%lld replicas behind %s; ", (long long)k->replicas,
			routing_words[k->routing]);
}

/* Where nothing is added, it says that too. */
static void write_front_end(const struct outside *o, FILE *f)
{
	const struct engine_keys *k = &o->pool[0];
	double fixed_us = k->api_overhead_us + k->response_overhead_us;
	if (fixed_us > 0)
		fprintf(f, "%.4g ms before and after the engine; ",
			fixed_us / 1e3);
	if (k->api_request_us > 0 || k->api_token_us > 0)
		fprintf(f,
			"one after another %.4g ms a request and %.4g us a "
			"prompt token; ",
			k->api_request_us / 1e3, k->api_token_us);
	if (k->output_token_us > 0 || k->output_first_us > 0)
		fprintf(f, "%.4g us a token handed out; ", k->output_token_us);
	if (!o->is_apart && !(fixed_us > 0) && !(k->api_request_us > 0))
		fputs("no time between clients and engine; ", f);
}

static void write_handover(const struct outside *o, FILE *f)
{
	const struct engine_keys *k = &o->pool[1];
	if (o->is_apart)
		fprintf(
		    f,
		    "a handover takes %.4g ms and KV passes at %.4g "
		    "GB/s%s; ",
		    (k->pd_fixed_us + k->proxy_us + k->kv_transfer_latency_us) /
			1e3,
		    o->kv_gbs,
		    k->kv_transfer_links == LINK_OF_GPU ? " to each GPU" : "");
}

/* "4 replicas behind round_robin; ... (measured: the runs)". */
static char *text_of(const struct config *c, size_t arm, int has_source)
{
	struct outside o;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	if (outside_of(&o, c, arm) == 0) {
		const char *source = source_of(&o);
		write_router(&o, f);
		write_front_end(&o, f);
		write_handover(&o, f);
		if (source)
			fprintf(f, "front_end = measured%s%s",
				has_source ? ": " : "",
				has_source ? source : "");
		else
			fprintf(f, "front_end = none%s",
				o.pool[0].preset == PRESET_NONE
				    ? ", for there is no preset"
				    : "");
	}
	return text_end(&t);
}

static int is_said(char *const *text, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (text[k] && text[i] && !strcmp(text[k], text[i]))
			return 1;
	return !text[i];
}

/* Names the arms that have the text of arm i. */
static void write_arms(const struct config *c, size_t n, size_t i,
		       char *const *text, FILE *f)
{
	const char *between = "";
	for (size_t k = i; k < n; k++) {
		if (!text[k] || strcmp(text[k], text[i]) != 0)
			continue;
		fprintf(f, "%s%s", between, c->arm[k].name);
		between = ", ";
	}
	fputs(": ", f);
}

/* Returns 1 if a text has the phrase of that length; "; " parts phrases. */
static int has_phrase(const char *text, const char *phrase, size_t length)
{
	for (const char *at = text; at; at = strstr(at, "; ")) {
		at += at == text ? 0 : 2;
		if (!strncmp(at, phrase, length) &&
		    (!at[length] || !strncmp(at + length, "; ", 2)))
			return 1;
	}
	return 0;
}

/* Writes the phrases of arm i that all arms have (is_common), or the others,
 * after `start`.  Returns how many. */
static size_t write_phrases(char *const *text, size_t n, size_t i,
			    int is_common, const char *start, FILE *f)
{
	size_t written = 0, length;
	for (const char *at = text[i]; *at;
	     at += at[length] ? length + 2 : length) {
		const char *end = strstr(at, "; ");
		int all = 1;
		length = end ? (size_t)(end - at) : strlen(at);
		for (size_t k = 0; k < n && all; k++)
			all = !text[k] || has_phrase(text[k], at, length);
		if (all == is_common)
			fprintf(f, "%s%.*s", written++ ? "; " : start,
				(int)length, at);
	}
	return written;
}

/* Writes what all arms have, then what each kind of arm has besides. */
static void write_kinds(const struct config *c, char *const *text, size_t n,
			FILE *f)
{
	size_t written = n && text[0] ? write_phrases(text, n, 0, 1, "", f) : 0;
	for (size_t i = 0; i < n; i++) {
		struct text arms = {0};
		FILE *m = is_said(text, i) ? NULL : text_begin(&arms);
		if (!m)
			continue;
		fputs(written ? ". " : "", m);
		write_arms(c, n, i, text, m);
		char *start = text_end(&arms);
		written += start ? write_phrases(text, n, i, 0, start, f) : 0;
		free(start);
	}
}

char *outside_text(const struct config *c, size_t n_arms, int has_sources)
{
	char **text = calloc(n_arms + 1, sizeof *text);
	struct text t = {0};
	FILE *f = text ? text_begin(&t) : NULL;
	for (size_t i = 0; f && i < n_arms; i++)
		text[i] = text_of(c, i, has_sources);
	if (f)
		write_kinds(c, text, n_arms, f);
	for (size_t i = 0; text && i < n_arms; i++)
		free(text[i]);
	free(text);
	return text_end(&t);
}

/* ---- as JSON ---- */

static void json_front_end(const struct outside *o, struct jw *j)
{
	static const char *const name[] = {
	    "front_end",      "api_overhead_us",      "api_request_us",
	    "api_token_us",   "output_token_us",      "output_first_us",
	    "output_process", "response_overhead_us", "response_sequence_us",
	    "schedule_us"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		const sc_knob *knob = &engine_row_named(name[i])->knob;
		knobs_write(j, &o->pool[0], &knob, 1);
	}
	jw_text(j, "source", source_of(o));
}

static void json_handover(const struct outside *o, struct jw *j)
{
	const struct engine_keys *k = &o->pool[1];
	jw_number(j, "bandwidth_gbs", o->kv_gbs);
	jw_text(j, "links", kv_transfer_link_words[k->kv_transfer_links]);
	jw_number(j, "latency_us", k->kv_transfer_latency_us);
	jw_number(j, "fixed_us", k->pd_fixed_us);
	jw_number(j, "proxy_us", k->proxy_us);
}

void outside_json(const struct config *c, size_t n_arms, struct jw *j)
{
	struct outside o;
	jw_flat_object(j, "router");
	for (size_t i = 0; i < n_arms; i++)
		if (outside_of(&o, c, i) == 0)
			jw_text(j, c->arm[i].name,
				routing_words[o.pool[0].routing]);
	jw_end(j);
	jw_object(j, "front_end");
	for (size_t i = 0; i < n_arms; i++)
		if (outside_of(&o, c, i) == 0) {
			jw_flat_object(j, c->arm[i].name);
			json_front_end(&o, j);
			jw_end(j);
		}
	jw_end(j);
	jw_object(j, "handover");
	for (size_t i = 0; i < n_arms; i++)
		if (outside_of(&o, c, i) == 0 && o.is_apart) {
			jw_flat_object(j, c->arm[i].name);
			json_handover(&o, j);
			jw_end(j);
		}
	jw_end(j);
}
