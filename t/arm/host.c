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

static char text[HOST_MESSAGES * 20 + HOST_MESSAGE_BYTES + 100];

/* How often the text has the word. */
static int n_of(const char *word)
{
	int n = 0;
	for (const char *s = text; (s = strstr(s, word)); s++)
		n++;
	return n;
}

static void limited(void)
{
	struct limited_host h;
	static char line[HOST_MESSAGE_BYTES + 10];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		bail_out("fmemopen");
	sc_host to = host_writing(f);
	host_limit(&h, &to);
	memset(line, 'x', sizeof line - 1);
	h.is.log(&h.is, 2, line);
	host_tell_dropped(&h, "p");
	for (int i = 1; i < HOST_MESSAGES; i++)
		h.is.log(&h.is, 1, "y");
	h.is.log(&h.is, 0, "y");
	host_tell_dropped(&h, "p");
	fflush(f);
	ok(n_of("x") == HOST_MESSAGE_BYTES && n_of("...") == 1,
	   "a long message is cut off");
	ok(n_of("info: y\n") == HOST_MESSAGES - 1 && !strstr(text, "dropped"),
	   "as many as an arm may write");
	for (int i = 0; i < 7; i++)
		h.is.log(&h.is, 2, "z");
	host_tell_dropped(&h, "p");
	host_tell_dropped(&h, "p");
	fclose(f);
	ok(n_of("z") == 0 && n_of("dropped") == 1, "and no more");
	ok(strstr(text, "warning: p: 7 more messages were dropped; an arm may "
			"write 100\n") != NULL,
	   "the others are counted");
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
	limited();
	return done();
}
