/* setup/hf_quantization.h -- the number formats that a config.json names: of
 * all weights, and of those that are quantized. */
#ifndef SC_SETUP_HF_QUANTIZATION_H
#define SC_SETUP_HF_QUANTIZATION_H
#include "setup/hf_reader.h"

void hf_read_formats(struct hf_reader *r);
/* A quant_algo, which NVIDIA's models name: in the config.json or in
 * hf_quant_config.json beside it.  Needs no r->top. */
void hf_read_quant_algo(struct hf_reader *r, const char *algo);
#endif
