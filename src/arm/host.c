/* host.c -- Writes or drops the log messages of cost models. */
#include <config.h>
#include "arm/host.h"

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
