/* setup/hf_layers.h -- the layers of a config.json: the fields that most
 * architectures have. */
#ifndef SC_SETUP_HF_LAYERS_H
#define SC_SETUP_HF_LAYERS_H
#include "setup/hf_kinds.h"

/* Needs r->layer; leaves kinds of layers there, and puts keys. */
void hf_read_layers(struct hf_reader *r);
#endif
