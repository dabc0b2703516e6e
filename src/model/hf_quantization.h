/* model/hf_quantization.h -- the number formats of a config.json: of all
 * weights, and of quantized weights module by module.
 *
 * Every scheme says how many bits a weight takes, scales and zero points
 * included.  Layers that are quantized in different ways become kinds of
 * layers.  A part with several formats gets the format of most of its weights,
 * and the mean of the bits. */
#pragma once
#include "model/hf_reader.h"

void hf_read_dtype(struct hf_reader *r);
/* Puts the formats of all layers of r->layer, after their other keys were put.
 * They come from quantization_config, or from *beside: "quantization" in
 * hf_quant_config.json; NULL: no such file. */
void hf_read_quantization(struct hf_reader *r, const json_t *beside);
