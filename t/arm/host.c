/* Where a cost model's log lines go. */
#include "arm/host.h"
#include "tap.h"

/* What a host writes of one line at each level. */
static const char *written(sc_host h)
{
	static char text[200];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		bail_out("fmemopen");
	h.ctx = f;
	for (int32_t level = 0; level < 4; level++)
		h.log(&h, level, "x");
	fclose(f);
	return text;
}

int main(void)
{
	is(written(host_silent), "", "dropped");
	is(written(host_writing(NULL)), "info: x\nwarning: x\nwarning: x\n",
	   "lines, from information on");
	is(written(host_saying(NULL)),
	   "stepcost: info: x\nstepcost: warning: x\nstepcost: warning: x\n",
	   "messages");
	sc_host h = host_writing(NULL);
	h.log(&h, 2, "x");
	ok(1, "nowhere to write to: dropped");
	ok(h.size == sizeof h && h.abi_minor == SC_ABI_MINOR &&
	       !h.extension(&h, "anything"),
	   "as the header has it; no extensions");
	return done();
}
