/* @NAME@: @LIKE@ with one part of the price of your own; @NAME@.md.
 *
 * The folder @LIKE@/ has the original, and this file its descriptor.  The parts
 * that a plugin may replace are struct sc_mfu_hooks of stepcost/mfu/instance.h:
 * gemms, decode_attention, prefill_attention, memory, mix, host.  The original
 * of each is public (stepcost/mfu/roofline.h), so that a hook can call it. */
#pragma GCC diagnostic ignored "-Wunused-function" /* the replaced ones */
#include "@LIKE@/@LIKE@.inc"

/* Returns the seconds of decode attention on each rank. */
static double my_decode_attention(struct sc_mfu_roofline *s,
				  const sc_step *step, const struct sc_load *l,
				  struct sc_mfu_tally *tally)
{
	const double times = 1; /* for example, a slower kernel */
	return sc_mfu_decode_attention(s, step, l, tally) * times;
}

static int32_t my_create(void **inst, const sc_setup *setup, const void *block,
			 sc_error *err)
{
	static const struct sc_mfu_hooks hooks = {.decode_attention =
						      my_decode_attention};
	return sc_mfu_create_with(inst, setup, block, &hooks, 0, err);
}

@DESCRIPTOR@
