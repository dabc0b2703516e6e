/* answer.c -- Any line as a program's answer to a step; may be malformed, must
 * not be read past its end. */
#include <stdlib.h>
#include "fuzz.h"
#include "stepcost/exec/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sc_exec_reply reply = {{0}, ""};
	sc_error err = {.size = sizeof err};
	char *text = fuzz_text(data, size, 4096);
	if (text)
		sc_exec_get(text, sc_exec_fields,
			    sizeof sc_exec_fields / sizeof *sc_exec_fields,
			    &reply, &err);
	free(text);
	return 0;
}
