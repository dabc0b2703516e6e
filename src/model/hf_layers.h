/* model/hf_layers.h -- reads the layers of a config.json: the fields that most
 * architectures share. */
#pragma once
#include "model/hf_kinds.h"

/* Needs r->layer; sets the kinds of layers there, and puts keys. */
void hf_read_layers(struct hf_reader *r);
