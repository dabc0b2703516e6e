/* status.c -- Answers about the server itself. */
#include "serve/status.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "serve/page.h"

void status_health(struct call *c)
{
	int good = server_is_ready(c->s) && !server_is_dead(c->s) &&
		   !c->s->is_draining;
	c->status = good ? 200 : 503;
}

void status_version(struct call *c)
{
	buffer_say(&c->out, "{\"version\":\"%s\"}", PACKAGE_VERSION);
	c->status = 200;
}

static void put_model(struct call *c, const char *name, const char *parent,
		      int is_first)
{
	buffer_say(&c->out, "%s{\"id\":", is_first ? "" : ",");
	buffer_json(&c->out, name, strlen(name));
	buffer_say(&c->out,
		   ",\"object\":\"model\",\"created\":%lld,\"owned_by\":"
		   "\"stepcost\",\"root\":",
		   (long long)time(NULL));
	buffer_json(&c->out, name, strlen(name));
	buffer_say(&c->out, ",\"parent\":");
	buffer_json(&c->out, parent, parent ? strlen(parent) : 0);
	if (parent)
		buffer_say(&c->out, ",\"max_model_len\":null");
	else
		buffer_say(&c->out, ",\"max_model_len\":%" PRIu64,
			   c->s->live.arm[0].facts.max_model_len);
	buffer_say(&c->out,
		   ",\"permission\":[{\"id\":\"modelperm-stepcost\",\"object\":"
		   "\"model_permission\",\"created\":%lld,"
		   "\"allow_create_engine\":false,\"allow_sampling\":true,"
		   "\"allow_logprobs\":false,\"allow_search_indices\":false,"
		   "\"allow_view\":true,\"allow_fine_tuning\":false,"
		   "\"organization\":\"*\",\"group\":null,"
		   "\"is_blocking\":false}]}",
		   (long long)time(NULL));
}

void status_models(struct call *c)
{
	const struct server *s = c->s;
	buffer_say(&c->out, "{\"object\":\"list\",\"data\":[");
	for (size_t i = 0; i < s->models.n; i++)
		put_model(c, s->models.item[i], NULL, i == 0);
	for (size_t i = 0; i < s->adapters.n; i++)
		put_model(c, s->adapters.item[i], s->models.item[0], 0);
	buffer_say(&c->out, "]}");
	c->status = 200;
}

void status_metrics(struct call *c)
{
	const struct live_arm *a = &c->s->live.arm[0];
	int64_t now = server_now(c->s), lag = now - a->reached_ns;
	struct timespec wall, since;
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &since);
	char waiting[2000], running[2000];
	flights_name_adapters(c->s, 0, waiting, sizeof waiting);
	flights_name_adapters(c->s, 1, running, sizeof running);
	const struct measures_now is = {
	    .model = c->s->models.item[0],
	    .facts = &a->facts,
	    .load = a->load,
	    .lag_s = a->next_ns <= now && lag > 0
			 ? 1e-9 * (double)lag / c->s->speed
			 : 0,
	    .speed = c->s->speed,
	    .start_time_s = (double)wall.tv_sec -
			    1e-9 * (double)(server_wall_ns() - c->s->listen_ns),
	    .first = c->at->first,
	    .n = c->at->n,
	    .sleep_level = c->at->sleep_level,
	    .waiting_adapters = waiting,
	    .running_adapters = running,
	    .time_s = (double)wall.tv_sec + 1e-9 * (double)wall.tv_nsec,
	    .connections = c->s->connections};
	measures_page(&c->s->measures, &is, &c->out);
	c->type = "text/plain; version=0.0.4; charset=utf-8";
	c->status = 200;
}

void status_load(struct call *c)
{
	buffer_say(&c->out, "{\"server_load\":%" PRIu64 "}",
		   c->at->open_choices);
	c->status = 200;
}

void status_record(struct call *c)
{
	char block[8192];
	size_t n;
	FILE *f = c->s->record_path ? fopen(c->s->record_path, "re") : NULL;
	if (!f) {
		call_fail(c, 404, "Not Found", NULL, "There is no record.");
		return;
	}
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		buffer_add(&c->out, block, n);
	fclose(f);
	c->type = "application/jsonl";
	c->status = 200;
}

void status_state(struct call *c)
{
	page_state(c->s, &c->out);
	c->status = 200;
}

void status_page(struct call *c)
{
	buffer_say(&c->out, "%s", page_html);
	c->type = "text/html; charset=utf-8";
	c->status = 200;
}

void status_script(struct call *c)
{
	buffer_say(&c->out, "%s", page_script);
	c->type = "text/javascript; charset=utf-8";
	c->status = 200;
}

void status_show_faults(struct call *c)
{
	buffer_say(&c->out, "{\"faults\":");
	buffer_json(&c->out, c->s->faults.text, strlen(c->s->faults.text));
	buffer_say(&c->out, "}");
	c->status = 200;
}

void status_set_faults(struct call *c)
{
	struct fault_shares shares;
	struct problem p;
	json_t *root =
	    json_loadb(c->body.s ? c->body.s : "", c->body.n, 0, NULL);
	const char *text = json_string_value(json_object_get(root, "faults"));
	if (!c->s->keys.dev)
		call_fail(c, 404, "Not Found", NULL, "Not Found");
	else if (!text)
		call_fail(c, 400, "Bad Request", "body.faults",
			  "faults: must be a string");
	else if (fault_shares_parse(text, &shares, &p) < 0)
		call_fail(c, 400, "BadRequestError", "faults", p.text);
	else
		c->s->faults = shares;
	json_decref(root);
	if (!c->status)
		status_show_faults(c);
}
