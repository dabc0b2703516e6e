/* host.c -- Writes or drops the log messages of cost models. */
#include "arm/host.h"
#include <inttypes.h>
#include <string.h>

static void drop(const sc_host *h, int32_t level, const char *text)
{
	(void)h, (void)level, (void)text;
}

static void write_line(const sc_host *h, int32_t level, const char *text,
		       const char *before)
{
	if (h->ctx && level >= 1)
		fprintf(h->ctx, "%s%s: %s\n", before,
			level > 1 ? "warning" : "info", text);
}

static void write_plain(const sc_host *h, int32_t level, const char *text)
{
	write_line(h, level, text, "");
}

static void write_message(const sc_host *h, int32_t level, const char *text)
{
	write_line(h, level, text, "stepcost: ");
}

static const void *no_extension(const sc_host *h, const char *id)
{
	(void)h, (void)id;
	return NULL;
}

const sc_host host_silent = {.size = sizeof host_silent,
			     .abi_minor = SC_ABI_MINOR,
			     .log = drop,
			     .extension = no_extension};

sc_host host_writing(FILE *f)
{
	sc_host h = host_silent;
	h.ctx = f;
	h.log = write_plain;
	return h;
}

sc_host host_saying(FILE *f)
{
	sc_host h = host_writing(f);
	h.log = write_message;
	return h;
}

/* ---- a limit ---- */

static void pass_on(const sc_host *h, int32_t level, const char *text)
{
	struct limited_host *l = (struct limited_host *)(uintptr_t)h;
	char line[HOST_MESSAGE_BYTES + sizeof "..."];
	if (level < 1)
		return;
	if (l->n_passed == HOST_MESSAGES) {
		l->n_dropped++;
		return;
	}
	l->n_passed++;
	snprintf(line, sizeof line, "%.*s%s", HOST_MESSAGE_BYTES, text,
		 strnlen(text, HOST_MESSAGE_BYTES + 1) > HOST_MESSAGE_BYTES
		     ? "..."
		     : "");
	l->to->log(l->to, level, line);
}

void host_limit(struct limited_host *h, const sc_host *to)
{
	*h = (struct limited_host){.is = *to, .to = to};
	h->is.log = pass_on;
}

void host_tell_dropped(struct limited_host *h, const char *plugin)
{
	char line[200];
	if (h->n_dropped == 0)
		return;
	snprintf(line, sizeof line,
		 "%s: %" PRIu32 " more messages were dropped; an arm may write "
		 "%d",
		 plugin, h->n_dropped, HOST_MESSAGES);
	h->n_dropped = 0;
	h->to->log(h->to, 2, line);
}
