/* stepcost/mfu/rules.h -- header-only helper for plugins: the rules by which a
 * table of MFU is read and asked.  SC_WORDS makes the words of a rule
 * (sc_lookup_words, for a knob's choices) and their constants from one list, so
 * that both have one order.
 *
 *   static const struct sc_mfu_rules rules = {.lookup = SC_LOOKUP_LINEAR,
 *                                             .missing_tp = SC_TP_NEAREST,
 *                                             .zero_mfu = SC_ZERO_LATENCY,
 *                                             .missing_cell = SC_CELL_DROP,
 *                                             .mfu_digits = SC_DIGITS_FULL};
 */
#ifndef SC_MFU_RULES_H
#define SC_MFU_RULES_H
#include "stepcost/knob.h"

/* Between measured points: the nearest point, linear in both axes, or linear in
 * the logarithms of both axes. */
#define SC_LOOKUPS(X)                                                          \
	X(SC_LOOKUP_NEAREST, "nearest"), X(SC_LOOKUP_LINEAR, "linear"),        \
	    X(SC_LOOKUP_LOG_LINEAR, "log_linear")
SC_WORDS(sc_lookup, SC_LOOKUPS);

/* Decode for a tp that was not measured: the nearest measured tp, or tp 1;
 * auto: tp 1 with nearest lookups, else the nearest tp. */
#define SC_MISSING_TPS(X)                                                      \
	X(SC_TP_AUTO, "auto"), X(SC_TP_NEAREST, "nearest"), X(SC_TP_ONE, "one")
SC_WORDS(sc_missing_tp, SC_MISSING_TPS);

/* Replacement for an MFU that reads as zero: the nearest row that does not, the
 * first such row, the MFU from the row's own latency, or the constants of
 * roofline_v1.  With error there is none, and the step is refused. */
#define SC_ZERO_MFUS(X)                                                        \
	X(SC_ZERO_NEAREST, "nearest"), X(SC_ZERO_FIRST, "first"),              \
	    X(SC_ZERO_LATENCY, "latency"), X(SC_ZERO_V1, "v1"),                \
	    X(SC_ZERO_ERROR, "error")
SC_WORDS(sc_zero_mfu, SC_ZERO_MFUS);

/* A hole in a grid: counts as MFU 0, or is left out with its weight. */
#define SC_MISSING_CELLS(X) X(SC_CELL_ZERO, "zero"), X(SC_CELL_DROP, "drop")
SC_WORDS(sc_missing_cell, SC_MISSING_CELLS);

/* MFU rounded to the three digits of published columns, or not rounded. */
#define SC_MFU_DIGITS(X) X(SC_DIGITS_3, "3"), X(SC_DIGITS_FULL, "full")
SC_WORDS(sc_mfu_digits, SC_MFU_DIGITS);

struct sc_mfu_zero;

struct sc_mfu_rules {
	int64_t lookup, missing_tp, zero_mfu, missing_cell, mfu_digits;
	/* With SC_ZERO_V1: what an MFU of a GEMM or of attention becomes. */
	double v1_gemm, v1_attention;
	/* With SC_ZERO_ERROR: where a lookup writes the zero that it met. */
	struct sc_mfu_zero *zero;
};
#endif
