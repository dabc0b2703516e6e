/* setup/hf_layers.h -- the layers that a config.json describes: attention, FFN
 * or experts, and which layer is of which kind. */
#ifndef SC_SETUP_HF_LAYERS_H
#define SC_SETUP_HF_LAYERS_H
#include "setup/hf_reader.h"

/* Needs r->layers. */
void hf_read_layers(struct hf_reader *r);
#endif
