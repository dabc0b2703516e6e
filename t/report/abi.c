/* The ABI as data: fields of several minor versions. */
#include "report/abi.h"
#include <stdlib.h>
#include "stepcost/plugin.h"
#include "tap.h"

int main(void)
{
	char *text, want[100];
	size_t size;
	FILE *f = open_memstream(&text, &size);
	abi_csv(f);
	fclose(f);
	snprintf(want, sizeof want,
		 "\nsc_step,prefill_prompt,const uint32_t *,%zu,%zu,3,",
		 offsetof(sc_step, prefill_prompt), sizeof(void *));
	ok(strstr(text, want) != NULL, "%s", want + 1);
	snprintf(want, sizeof want,
		 "\nsc_step,decode_ctx_sum,uint64_t,%zu,8,2,",
		 offsetof(sc_step, decode_ctx_sum));
	ok(strstr(text, want) != NULL, "%s", want + 1);
	snprintf(want, sizeof want, "\nsc_result,total_us,double,%zu,8,0,",
		 offsetof(sc_result, total_us));
	ok(strstr(text, want) != NULL, "%s", want + 1);
	free(text);
	return done();
}
