/* price/answer.h -- An answer for one kernel. */
#ifndef OPERATORS_PRICE_ANSWER_H
#define OPERATORS_PRICE_ANSWER_H
#include "stepcost/plugin.h"

struct answer {
	double us;
	uint32_t provenance; /* SC_EXACT ... */
};
#endif
