/* place.c -- Classifies the model and the GPU of a prediction. */
#include "trust/place.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "stepcost/format.h"
#include "stepcost/kernel/version.h"

/* GPUs with similar errors; the longer prefix first. */
static const struct {
	const char *prefix, *family;
} families[] = {{"h100", "H100"}, {"h200", "H100"},  {"h800", "H20"},
		{"h20", "H20"},   {"gb200", "B200"}, {"gb300", "B200"},
		{"b200", "B200"}, {"b300", "B200"},  {"a100", "A100"},
		{"l40s", "L40S"}, {"rtx", "RTX"}};

const char *place_family(char to[PLACE_FAMILY], const char *gpu)
{
	const char *family = gpu && *gpu ? gpu : "unknown";
	for (size_t i = 0; gpu && i < sizeof families / sizeof *families; i++)
		if (!strncasecmp(gpu, families[i].prefix,
				 strlen(families[i].prefix))) {
			family = families[i].family;
			break;
		}
	snprintf(to, PLACE_FAMILY, "%s", family);
	return to;
}

static int is_linear(const sc_layers *l)
{
	return l->attention != SC_ATTN_FULL && l->attention != SC_ATTN_WINDOW &&
	       l->attention != SC_ATTN_CHUNK && l->attention != SC_ATTN_MLA;
}

/* Errors of models with ordinary attention say nothing of sparse attention, and
 * nothing of linear layers, whatever their experts are. */
static int is_sparse(const sc_layers *l)
{
	return SC_HAS(l, flags) && l->flags & SC_LAYER_SPARSE;
}

static const char *class_of(const sc_model *m)
{
	int mla = 0, moe = 0, hybrid = 0, sparse = 0, linear = 0;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		mla |= m->group[i]->attention == SC_ATTN_MLA;
		moe |= m->group[i]->n_experts > 0;
		hybrid |= is_linear(m->group[i]);
		sparse |= is_sparse(m->group[i]);
		linear |= m->group[i]->attention == SC_ATTN_LINEAR;
	}
	if (sparse || linear)
		return sparse ? "sparse" : "linear";
	return mla ? "mla" : moe ? "moe" : hybrid ? "hybrid" : "dense";
}

/* Formats with scales per block of weights have their own names. */
static const char *format_of(uint32_t format, double bits)
{
	if (format == SC_FP16)
		return "bf16";
	if (format == SC_FP8 && bits > 8.0005)
		return "fp8_block";
	if (format == SC_FP4)
		return bits > 4.4 ? "nvfp4" : "mxfp4";
	return sc_format_name(format);
}

/* Returns the group with the most layers. */
static const sc_layers *main_layers(const sc_model *m)
{
	const sc_layers *most = NULL;
	for (uint32_t i = 0; i < m->n_groups; i++)
		if (!most || m->group[i]->n_layers > most->n_layers)
			most = m->group[i];
	return most;
}

void place_set(struct trust_place *at, const char *gpu, const sc_model *model,
	       double tp, double ep, double pp)
{
	const sc_layers *l = main_layers(model);
	place_family(at->gpu_family, gpu);
	snprintf(at->model_class, sizeof at->model_class, "%s",
		 class_of(model));
	snprintf(at->weight_format, sizeof at->weight_format, "%s",
		 !l             ? "unknown"
		 : l->n_experts ? format_of(l->expert_format, l->expert_bits)
				: format_of(l->ffn_format, l->ffn_bits));
	snprintf(at->kv_format, sizeof at->kv_format, "%s",
		 format_of(model->kv_format, model->kv_bits));
	at->n_params = model->n_params;
	at->tp = tp > 1 ? tp : 1;
	at->ep = ep > 1 ? ep : 1;
	at->pp = pp > 1 ? pp : 1;
}

const char *const place_loading_word[N_LOADINGS] = {"", "light", "full",
						    "loop"};

void place_set_loading(struct trust_place *at, uint64_t clients, double most,
		       int is_stable)
{
	int has_room = is_stable && at->load < most / 2;
	at->loading = clients > 1                ? LOADING_LOOP
		      : clients == 1 || has_room ? LOADING_LIGHT
						 : LOADING_FULL;
}

void place_set_engine(struct trust_place *at, const char *engine)
{
	size_t n = 0;
	if (!engine || !*engine)
		engine = "vllm";
	if (!strncasecmp(engine, "tensorrt", 8))
		engine = "trtllm";
	while (isalnum((unsigned char)engine[n]) && n + 1 < sizeof at->engine) {
		at->engine[n] = (char)tolower((unsigned char)engine[n]);
		n++;
	}
	at->engine[n] = '\0';
}

/* Copies a name from its first digit on: "0.24" of "vllm-0.24". */
static void copy_version(char *to, size_t size, const char *name)
{
	snprintf(to, size, "%s", name + strcspn(name, "0123456789"));
}

void place_set_versions(struct trust_place *at, const char *set,
			const char *engine)
{
	double kernels[SC_VERSION_NUMBERS], run[SC_VERSION_NUMBERS];
	const char *dot = set ? strchr(set, '.') : NULL;
	sc_version_of(dot ? dot + 1 : NULL, kernels);
	sc_version_of(engine, run);
	at->versions_apart = sc_versions_between(kernels, run);
	if (at->versions_apart < 0)
		return;
	copy_version(at->kernels_version, sizeof at->kernels_version, dot + 1);
	copy_version(at->engine_version, sizeof at->engine_version, engine);
}
