/* model/hf_quantization.h -- the number formats of a config.json: of all
 * weights, and of those that are quantized, module by module.
 *
 * Every scheme says how many bits a weight takes, its scales and zero points
 * included.  Layers whose modules are quantized in different ways become kinds
 * of layers; a part with several formats has the format of most of its weights,
 * and the mean of the bits. */
#ifndef SC_MODEL_HF_QUANTIZATION_H
#define SC_MODEL_HF_QUANTIZATION_H
#include "model/hf_reader.h"

void hf_read_dtype(struct hf_reader *r);
/* Puts the formats of all layers of r->layer, whose other keys are put already,
 * as quantization_config says, or as *beside does: what hf_quant_config.json
 * has under "quantization"; NULL: there is none. */
void hf_read_quantization(struct hf_reader *r, const json_t *beside);
#endif
