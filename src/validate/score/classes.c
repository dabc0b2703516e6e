/* classes.c -- Tells what measured rows have in common. */
#include "validate/score/classes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "validate/measured/parallelism.h"
#include "stepcost/format.h"

#define VALUE(name)                                                            \
	static void name(const struct validation *v, size_t arm, size_t row,   \
			 char *buf, size_t size)

/* ---- of the row ---- */

VALUE(by_model)
{
	const char *model = v->file->row[row].model;
	const char *slash = model ? strrchr(model, '/') : NULL;
	(void)arm;
	snprintf(buf, size, "%.40s", slash ? slash + 1 : model ? model : "-");
}

VALUE(by_gpu)
{
	const char *gpu = v->file->row[row].gpu;
	(void)arm;
	snprintf(buf, size, "%.*s", gpu ? (int)strcspn(gpu, " (") : 1,
		 gpu ? gpu : "-");
}

VALUE(by_tp)
{
	double tp = parallelism_of(&v->file->row[row]).tp;
	(void)arm;
	if (tp > 0)
		snprintf(buf, size, "%g", tp);
	else
		snprintf(buf, size, "-");
}

VALUE(by_split)
{
	struct parallelism is = parallelism_of(&v->file->row[row]);
	(void)arm;
	if (is.dp > 1 || is.ep > 1 || is.pp > 1)
		snprintf(buf, size, "tp %g, ep %g, dp %g, pp %g", is.tp, is.ep,
			 is.dp, is.pp);
	else
		snprintf(buf, size, "-");
}

VALUE(by_workload)
{
	const char *workload = v->file->row[row].workload;
	(void)arm;
	snprintf(buf, size, "%.40s", workload ? workload : "-");
}

/* By the major and the minor version. */
VALUE(by_engine)
{
	const struct measured_row *r = &v->file->row[row];
	const char *version = r->engine_version ? r->engine_version : "unknown";
	size_t n = strcspn(version, ".");
	(void)arm;
	n += version[n] == '.' ? 1 + strcspn(version + n + 1, ".") : 0;
	if (r->engine)
		snprintf(buf, size, "%.30s %.*s", r->engine,
			 (int)(n < 30 ? n : 30), version);
	else
		snprintf(buf, size, "-");
}

/* Little's law: requests in flight. */
VALUE(by_load)
{
	const struct measured_row *r = &v->file->row[row];
	double e2el_ms = r->time[RUN_E2EL].of[STATISTIC_MEAN];
	double n = r->concurrency >= 1 ? r->concurrency
				       : r->request_rate * e2el_ms / 1e3;
	const char *is = isnan(n)  ? "-"
			 : n <= 4  ? "0-4 in flight"
			 : n <= 32 ? "5-32 in flight"
				   : "33 and more in flight";
	(void)arm;
	snprintf(buf, size, "%s", is);
}

/* ---- of prefill and decode apart ---- */

VALUE(by_engine_alone)
{
	const char *engine = v->file->row[row].engine;
	(void)arm;
	snprintf(buf, size, "%.40s", engine ? engine : "-");
}

VALUE(by_drafts)
{
	double n = v->file->row[row].draft_tokens;
	(void)arm;
	if (n >= 1)
		snprintf(buf, size, "%g, acceptance assumed", n);
	else
		snprintf(buf, size, "none");
}

VALUE(by_decode_split)
{
	const char *dp = v->file->row[row].pool[MEASURED_DECODE].attention_dp;
	(void)arm;
	snprintf(buf, size, "%s",
		 !dp                  ? "-"
		 : !strcmp(dp, "yes") ? "attention-DP"
				      : "TP");
}

VALUE(by_certainty)
{
	const char *certainty = v->file->row[row].certainty;
	(void)arm;
	snprintf(buf, size, "%.60s", certainty ? certainty : "-");
}

/* ---- of the model it was simulated with ---- */

/* The layers that most are like; NULL: the row was not simulated. */
static const sc_layers *main_layers(const struct validation *v, size_t row)
{
	const struct config *c = validation_config(v, row);
	const sc_layers *most = NULL;
	for (uint32_t i = 0; c && i < c->model.view.n_groups; i++) {
		const sc_layers *l = c->model.view.group[i];
		if (!most || l->n_layers > most->n_layers)
			most = l;
	}
	return most;
}

/* Formats with scales for blocks of weights have names of their own. */
static const char *format_of(uint32_t format, double bits)
{
	if (format == SC_FP8 && bits > 8.0005)
		return "fp8 in blocks";
	if (format == SC_FP4)
		return bits > 4.4 ? "nvfp4" : "mxfp4";
	return sc_format_name(format);
}

VALUE(by_format)
{
	const sc_layers *l = main_layers(v, row);
	(void)arm;
	if (!l)
		snprintf(buf, size, "-");
	else if (l->n_experts && l->expert_format != l->attn_format)
		snprintf(buf, size, "%s experts, %s attention",
			 format_of(l->expert_format, l->expert_bits),
			 format_of(l->attn_format, l->attn_bits));
	else
		snprintf(buf, size, "%s",
			 format_of(l->ffn_format, l->ffn_bits));
}

VALUE(by_kind)
{
	const sc_layers *l = main_layers(v, row);
	(void)arm;
	snprintf(buf, size, "%s",
		 !l                            ? "-"
		 : l->attention == SC_ATTN_MLA ? "MLA"
		 : l->n_experts                ? "mixture of experts"
					       : "dense");
}

/* ---- of the prediction ---- */

/* By what priced most of the time. */
VALUE(by_tables)
{
	const struct prediction *is = validation_of(v, arm, row);
	const double *us = is->coverage_us;
	double own = us[SC_EXACT] + us[SC_INTERPOLATED] + us[SC_CLAMPED];
	double guessed = us[SC_SUBSTITUTED] + us[SC_FALLBACK];
	if (!is->priced || !(own + guessed > 0))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s",
			 guessed <= own ? "own tables of most kernels"
			 : us[SC_SUBSTITUTED] > us[SC_FALLBACK]
			     ? "others' tables of most kernels"
			     : "formulas for most kernels");
}

const struct grouping grouping[] = {
    {"model", by_model},       {"GPU", by_gpu},
    {"engine", by_engine},     {"weights", by_format},
    {"kind", by_kind},         {"tensor parallel size", by_tp},
    {"split", by_split},       {"tables", by_tables},
    {"workload", by_workload}, {"load", by_load},
};
const size_t n_groupings = sizeof grouping / sizeof *grouping;

const struct grouping apart_grouping[] = {
    {"engine", by_engine_alone}, {"GPU", by_gpu},
    {"model", by_model},         {"drafts", by_drafts},
    {"decode", by_decode_split}, {"certainty", by_certainty},
};
const size_t n_apart_groupings = sizeof apart_grouping / sizeof *apart_grouping;
