/* record.c -- Writes the requests of a live server. */
#include "live/record.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "api/buffer.h"
#include "base/hash.h"
#include "base/json/json_writer.h"
#include "base/text.h"

/* A line while it is made. */
struct line {
	char *s;
	size_t n;
	FILE *f;
	struct jw j;
};

static int line_begin(struct line *l)
{
	*l = (struct line){0};
	l->f = text_open(&l->s, &l->n);
	if (!l->f)
		return -1;
	jw_start(&l->j, l->f);
	jw_flat_object(&l->j, NULL);
	return 0;
}

static void line_end(struct record *r, struct line *l)
{
	jw_end(&l->j);
	fputc('\n', l->f);
	if (fclose(l->f) == 0 && r->fd >= 0 &&
	    write(r->fd, l->s, l->n) != (ssize_t)l->n) {
		r->error = errno ? errno : ENOSPC;
		close(r->fd);
		r->fd = -1;
	}
	free(l->s);
}

static void put_time(struct line *l, const char *key, int64_t ns)
{
	char text[32];
	snprintf(text, sizeof text, "%" PRId64 ".%03d", ns / 1000,
		 (int)(ns % 1000));
	jw_literal(&l->j, key, text);
}

int record_open(struct record *r, const char *path, const char *digest,
		struct problem *p)
{
	struct line l;
	*r = (struct record){.fd = -1, .path = path};
	if (!path)
		return 0;
	r->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (r->fd < 0)
		return problem_set(p, EXIT_USAGE, "%s: %s", path,
				   strerror(errno));
	if (line_begin(&l) < 0)
		return problem_no_memory(p);
	jw_int(&l.j, "stepcost_trace", 1);
	jw_text(&l.j, "configuration", digest);
	line_end(r, &l);
	return 0;
}

static uint64_t *times_of(struct record *r, const char *name)
{
	return map64_at(&r->names, hash_on(HASH_BEGIN, name, strlen(name)),
			NULL);
}

void record_name(struct record *r, const char *name, char *to, size_t n)
{
	uint64_t *times, *taken;
	snprintf(to, n, "%s", name);
	while (r->fd >= 0 && (times = times_of(r, name)) && ++*times > 1) {
		snprintf(to, n, "%.*s~%" PRIu64, (int)n - 24, name, *times);
		taken = times_of(r, to);
		if (taken && *taken)
			continue; /* a client's own name */
		if (taken)
			*taken = 1;
		return;
	}
}

static void put_some(struct line *l, const char *key, uint64_t v)
{
	if (v)
		jw_uint(&l->j, key, v);
}

static void put_items(struct line *l, const struct prompt_items *items)
{
	struct buffer b = {0};
	for (size_t i = 0; items && i < items->n; i++)
		buffer_say(&b, "%s%" PRIu32 ":%" PRIu32 ":%s", i ? ";" : "",
			   items->item[i].offset, items->item[i].length,
			   items->item[i].name);
	if (b.n)
		jw_text(&l->j, "mm_items", b.s);
	buffer_free(&b);
}

void record_request(struct record *r, const struct live_request *x,
		    const struct record_texts *t)
{
	struct line l;
	if (r->fd < 0 || line_begin(&l) < 0)
		return;
	put_time(&l, "arrival_us", x->arrival_ns);
	jw_text(&l.j, "request_id", x->name);
	jw_uint(&l.j, "input_tokens", x->input_tokens);
	jw_uint(&l.j, "output_tokens", x->output_tokens);
	if (x->max_tokens != x->output_tokens)
		put_some(&l, "max_tokens", x->max_tokens);
	put_some(&l, "stop_tokens", x->stop_tokens);
	if (x->priority)
		jw_int(&l.j, "priority", x->priority);
	if (t->session && *t->session)
		jw_text(&l.j, "session_id", t->session);
	if (t->adapter)
		jw_text(&l.j, "adapter", t->adapter);
	put_some(&l, "cache_salt", t->cache_salt);
	put_items(&l, t->items);
	if (x->n_blocks) {
		jw_uint(&l.j, "block_tokens", x->block_tokens);
		jw_array(&l.j, "hash_ids");
		for (uint32_t i = 0; i < x->n_blocks; i++)
			jw_uint(&l.j, NULL, x->block[i]);
		jw_end(&l.j);
	}
	if (x->pinned)
		jw_uint(&l.j, "replica", x->pinned - 1);
	line_end(r, &l);
}

void record_cancel(struct record *r, const char *name, int64_t ns)
{
	struct line l;
	if (r->fd < 0 || line_begin(&l) < 0)
		return;
	put_time(&l, "cancel_us", ns);
	jw_text(&l.j, "request_id", name);
	line_end(r, &l);
}

void record_reset(struct record *r, uint32_t replica, int64_t ns)
{
	struct line l;
	if (r->fd < 0 || line_begin(&l) < 0)
		return;
	put_time(&l, "reset_us", ns);
	if (replica != UINT32_MAX)
		jw_uint(&l.j, "replica", replica);
	line_end(r, &l);
}

void record_close(struct record *r)
{
	if (r->fd >= 0)
		close(r->fd);
	map64_free(&r->names);
}
