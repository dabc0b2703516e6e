/* tables.c -- Opens the tables of a set, with their reference laws. */
#include <math.h>
#include <stdio.h>
#include "stepcost/fail.h"
#include "stepcost/kernel/floor.h"
#include "stepcost/log.h"
#include "stepcost/table.h"
#include "inst.h"

uint32_t stored_as(uint32_t format)
{
	return format ? sc_format_kernels(format) : SC_BF16;
}

/* A number of the MANIFEST; t may be NULL. */
static double note_or(const sc_table *t, const char *key, double otherwise)
{
	double v = t ? sc_note_number(t, key) : (double)NAN;
	return isnan(v) ? otherwise : v;
}

/* The law's constants as fitted for the set and format, else those of another
 * format that was fitted, else H100's. */
static void read_constants(struct sc_law *l, const sc_table *t, uint32_t format)
{
	const uint32_t like[] = {format, SC_BF16, SC_FP8};
	const struct sc_law_kind *kind = sc_law_kind_of(l->op);
	for (size_t f = 0; f < sizeof like / sizeof *like; f++) {
		uint32_t found = 0;
		for (uint32_t i = 0; i < kind->n_constants; i++) {
			char key[96];
			snprintf(key, sizeof key, "law.%s.%s.%s", kind->op,
				 sc_format_name(like[f]),
				 kind->constant[i].name);
			l->c[i] = note_or(t, key, kind->constant[i].start);
			found += t && !isnan(sc_note_number(t, key));
		}
		if (found == kind->n_constants)
			return;
	}
}

/* The law of a format, with the peak rates that the set names, else the
 * hardware's. */
static struct sc_law law_of(uint32_t op, uint32_t format, const sc_setup *setup,
			    const sc_table *notes)
{
	const sc_hardware *hw = setup->hardware;
	struct sc_law l = {.op = op, .element = sc_format_bytes(format)};
	double peak = hw->peak_flops[format];
	char key[64];
	snprintf(key, sizeof key, "peak_tflops_%s", sc_format_name(format));
	if (!(peak > 0))
		peak = hw->peak_flops[SC_BF16] * 2 / l.element;
	l.peak = 1e12 * note_or(notes, key, peak / 1e12);
	if (op == SC_OP_ALL_REDUCE)
		l.bandwidth = 1e9 * note_or(notes, "link_bandwidth_gbs",
					    hw->link_bandwidth / 1e9);
	else
		l.bandwidth = 1e12 * note_or(notes, "memory_bandwidth_tbs",
					     hw->mem_bandwidth / 1e12);
	read_constants(&l, notes, format);
	return l;
}

/* What the GPU can do per us, in kernels of a format. */
static double least_peak(const sc_hardware *hw, uint32_t format)
{
	return sc_floor_multiplies(hw->peak_flops, format, 0) / 1e6;
}

static double least_bandwidth(const sc_hardware *hw, uint32_t op)
{
	return (op == SC_OP_ALL_REDUCE ? hw->link_bandwidth
				       : hw->mem_bandwidth) /
	       1e6;
}

/* No rows in the format: another's residuals on this format's law. */
static int32_t borrow(struct table_index *a, const sc_setup *setup,
		      const sc_table *t, sc_error *err)
{
	static const uint32_t others[] = {SC_BF16, SC_FP8};
	struct sc_law own = a->law;
	const struct table_index was = *a;
	int32_t rc = SC_OK;
	for (size_t i = 0;
	     rc == SC_OK && !a->n_grids && i < sizeof others / sizeof *others;
	     i++) {
		int monotone = a->monotone;
		table_index_free(a);
		*a = (struct table_index){
		    .law = law_of(own.op, others[i], setup, t),
		    .peak = was.peak,
		    .bandwidth = was.bandwidth,
		    .l2_bytes = was.l2_bytes,
		    .how = was.how,
		    .monotone = monotone};
		rc = table_index_build(a, t, others[i], err);
	}
	table_index_restate(a, &own);
	return rc;
}

/* An empty table index answers with the law, and counts that as a fallback; one
 * that nothing can answer stays closed. */
static int32_t open_table_index(const struct inst *s, struct table_index *a,
				const sc_setup *setup, uint32_t op,
				uint32_t format, sc_error *err)
{
	const sc_table *t =
	    sc_table_of(setup, sc_law_kinds[op - SC_OP_GEMM].op);
	/* Any table carries the notes of its set. */
	const sc_table *notes = t                 ? t
				: setup->n_tables ? setup->table[0]
						  : NULL;
	struct sc_law law = law_of(op, format, setup, notes);
	if (!(law.bandwidth > 0) || !(law.peak > 0))
		return SC_OK;
	*a = (struct table_index){.law = law,
				  .peak = least_peak(setup->hardware, format),
				  .bandwidth =
				      least_bandwidth(setup->hardware, op),
				  .l2_bytes = setup->hardware->l2_bytes,
				  .how = s->how,
				  .monotone = s->k.monotone != 0};
	int32_t rc = table_index_build(a, t, format, err);
	if (rc == SC_OK && !a->n_grids && t &&
	    s->k.format_mismatch == MISMATCH_RESIDUAL)
		rc = borrow(a, setup, t, err);
	return rc;
}

int32_t open_all(struct inst *s, const sc_setup *setup, sc_error *err)
{
	int32_t rc = SC_OK;
	for (uint32_t op = 0; rc == SC_OK && op < SC_LAW_OPS; op++)
		for (uint32_t f = 1; rc == SC_OK && f < SC_FORMAT_CODES; f++)
			if (f == sc_format_kernels(f))
				rc = open_table_index(s, &s->table_index[op][f],
						      setup, SC_OP_GEMM + op, f,
						      err);
	return rc;
}

int32_t need(struct inst *s, const sc_setup *setup, uint32_t op,
	     uint32_t format, struct table_index **a, sc_error *err)
{
	uint32_t as = stored_as(format);
	const char *name = sc_law_kinds[op - SC_OP_GEMM].op;
	*a = &s->table_index[op - SC_OP_GEMM][as];
	if (!(*a)->law.op)
		return sc_fail(
		    err, SC_EINVAL,
		    "%s in %s: neither hardware nor MANIFEST has the "
		    "peak and %s bandwidth of its reference law",
		    name, sc_format_name(as),
		    op == SC_OP_ALL_REDUCE ? "link" : "memory");
	int own = (*a)->n_grids && (*a)->grid[0].provenance != SC_SUBSTITUTED;
	if (!own && s->k.format_mismatch == MISMATCH_REFUSE)
		return sc_fail(err, SC_ENODATA, "table %s has no %s rows", name,
			       sc_format_name(as));
	if (!own && !(*a)->announced)
		sc_log(setup, SC_LOG_WARNING,
		       "latency_interp: table %s has no %s rows: %s", name,
		       sc_format_name(as),
		       (*a)->n_grids
			   ? "another format's residual on the reference law"
			   : "the reference law");
	(*a)->announced = 1;
	return SC_OK;
}
