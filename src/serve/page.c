/* page.c -- The live page. */
#include "serve/page.h"
#include <inttypes.h>
#include <string.h>
#include "engine/engine.h"

const char page_html[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>stepcost serve</title>\n<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;"
    "max-width:60rem;padding:0 1rem}\n"
    "table{border-collapse:collapse;width:100%;margin:0 0 1.5rem}\n"
    "th,td{padding:.25rem .5rem;text-align:right;border-bottom:1px solid "
    "color-mix(in srgb,currentColor 25%,transparent)}\n"
    "td{white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left}\n"
    "div{overflow-x:auto}\n</style>\n"
    "<h1>stepcost serve</h1>\n<p id=\"clock\">Waiting for the server.</p>\n"
    "<div id=\"arms\"></div>\n"
    "<script src=\"/stepcost/page.js\"></script>\n</html>\n";

const char page_script[] =
    "'use strict';\n"
    "const text = (tag, s) => {\n"
    "  const e = document.createElement(tag);\n"
    "  e.textContent = s;\n"
    "  return e;\n"
    "};\n"
    "const row = (tag, cells) => {\n"
    "  const r = document.createElement('tr');\n"
    "  cells.forEach(c => r.append(text(tag, c)));\n"
    "  return r;\n"
    "};\n"
    "const percent = x => (100 * x).toFixed(1) + ' %';\n"
    "function show(s) {\n"
    "  document.getElementById('clock').textContent =\n"
    "    'Simulated time ' + s.now_s.toFixed(1) + ' s, speed ' + s.speed +\n"
    "    ', lag ' + (1000 * s.lag_s).toFixed(1) + ' ms, ' +\n"
    "    s.connections + ' connections, ' + s.cancelled + ' cancelled.';\n"
    "  const to = document.getElementById('arms');\n"
    "  to.replaceChildren();\n"
    "  for (const a of s.arms) {\n"
    "    to.append(text('h2', a.name + (a.is_shadow ? ' (shadow)' : '')));\n"
    "    if (a.failure) to.append(text('p', a.failure));\n"
    "    to.append(text('p', a.completed + ' completed, ' + a.cancelled +\n"
    "      ' cancelled, ' + a.steps + ' steps, ' +\n"
    "      a.tokens_per_s.toFixed(0) + ' tokens/s.'));\n"
    "    const t = document.createElement('table');\n"
    "    t.append(row('th', ['replica', 'running', 'waiting', 'KV in use',\n"
    "      'prefix hits', 'preemptions', 'steps',\n"
    "      'last step', 'its tokens']));\n"
    "    const first = s.arms[0];\n"
    "    for (const [name, h] of [['TTFT', a.ttft], ['TPOT', a.tpot]]) {\n"
    "      const beside = a.is_shadow && h.mean_s && first[h.key].mean_s\n"
    "        ? ', ' + (h.mean_s / first[h.key].mean_s).toFixed(3) +\n"
    "          ' times that of ' + first.name : '';\n"
    "      to.append(text('p', name + ' (ms), mean ' +\n"
    "        (1000 * h.mean_s).toFixed(1) + beside));\n"
    "      const shown = h.all.map((n, i) => i).filter(i => h.all[i]);\n"
    "      const d = document.createElement('table');\n"
    "      d.append(row('th', ['requests up to', ...shown.map(i => 2 ** i)]),\n"
    "        row('td', ['last minute', ...shown.map(i => h.recent[i])]),\n"
    "        row('td', ['all', ...shown.map(i => h.all[i])]));\n"
    "      to.append(d);\n"
    "    }\n"
    "    a.replicas.forEach((r, i) => t.append(row('td', [i, r.running,\n"
    "      r.waiting, percent(r.kv_use), percent(r.hit_share),\n"
    "      r.preemptions, r.steps,\n"
    "      r.step_ms.toFixed(2) + ' ms', r.step_tokens])));\n"
    "    to.append(t);\n"
    "  }\n"
    "}\n"
    "const poll = () => fetch('/stepcost/state').then(r => r.json())\n"
    "  .then(show).catch(() => {\n"
    "    document.getElementById('clock').textContent =\n"
    "      'The server does not answer.';\n"
    "  });\n"
    "poll();\n"
    "setInterval(poll, 1000);\n";

static double share(uint64_t part, uint64_t whole)
{
	return whole && whole != ENGINE_UNLIMITED ? (double)part / (double)whole
						  : 0;
}

static void put_counts(const char *key, const uint64_t *n, struct buffer *to)
{
	buffer_say(to, "\"%s\":[", key);
	for (int i = 0; i < LIVE_BUCKETS; i++)
		buffer_say(to, "%s%" PRIu64, i ? "," : "", n[i]);
	buffer_say(to, "]");
}

/* Times that requests had, in ms up to powers of two. */
static void put_times(const struct live_arm *a,
		      const struct live_counts *recent, struct buffer *to)
{
	static const char *const name[] = {"ttft", "tpot"};
	for (int k = 0; k < 2; k++) {
		uint64_t n = 0;
		for (int i = 0; i < LIVE_BUCKETS; i++)
			n += a->all.time[k][i];
		buffer_say(to, ",\"%s\":{\"key\":\"%s\",\"mean_s\":%.6g,",
			   name[k], name[k], n ? a->sum_s[k] / (double)n : 0);
		put_counts("recent", recent->time[k], to);
		buffer_say(to, ",");
		put_counts("all", a->all.time[k], to);
		buffer_say(to, "}");
	}
}

static void put_arm(const struct live_arm *a, int is_shadow, struct buffer *to)
{
	const struct live_counts recent = live_recent(a);
	double minute = LIVE_SLOTS * LIVE_SLOT_S;
	double now_s = 1e-9 * (double)a->reached_ns;
	buffer_say(to, "{\"name\":");
	buffer_json(to, a->is.name, strlen(a->is.name));
	buffer_say(
	    to,
	    ",\"is_shadow\":%s,\"reached_s\":%.6f,\"completed\":%" PRIu64
	    ",\"cancelled\":%" PRIu64 ",\"steps\":%" PRIu64 ",\"failure\":",
	    is_shadow ? "true" : "false", 1e-9 * (double)a->reached_ns,
	    a->ended[REQUEST_ENDED], a->ended[REQUEST_CANCELLED], a->steps);
	buffer_json(to, a->is.failure,
		    a->is.failure ? strlen(a->is.failure) : 0);
	buffer_say(to, ",\"tokens_per_s\":%.6g",
		   now_s > 0 ? (double)recent.tokens /
				   (now_s < minute ? now_s : minute)
			     : 0);
	put_times(a, &recent, to);
	buffer_say(to, ",\"replicas\":[");
	for (uint32_t i = 0; a->load && i < a->facts.replicas; i++) {
		const struct simulation_load *l = &a->load[i];
		buffer_say(to,
			   "%s{\"running\":%u,\"waiting\":%u,\"kv_use\":%.4f,"
			   "\"hit_share\":%.4f,\"preemptions\":%" PRIu64
			   ",\"steps\":%" PRIu64
			   ",\"step_ms\":%.6g,\"step_tokens\":%" PRIu64 "}",
			   i ? "," : "", l->running, l->waiting,
			   share(l->blocks_used, l->blocks),
			   share(l->hit_tokens, l->queried_tokens),
			   l->preemptions, l->steps,
			   1e-6 * (double)a->last[i].lasts_ns,
			   (uint64_t)a->last[i].tokens);
	}
	buffer_say(to, "]}");
}

void page_state(const struct server *s, struct buffer *to)
{
	const struct live_arm *a = &s->live.arm[0];
	int64_t now = server_now(s), lag = now - a->reached_ns;
	if (a->next_ns > now || lag < 0)
		lag = 0;
	buffer_say(to,
		   "{\"now_s\":%.6f,\"speed\":%g,\"lag_s\":%.6f,"
		   "\"connections\":%" PRIu64 ",\"cancelled\":%" PRIu64
		   ",\"arms\":[",
		   1e-9 * (double)(now > 0 ? now : 0), s->speed,
		   1e-9 * (double)lag / s->speed, s->connections,
		   s->measures.cancelled);
	for (size_t i = 0; i < s->live.n; i++) {
		if (i)
			buffer_add(to, ",", 1);
		put_arm(&s->live.arm[i], i > 0, to);
	}
	buffer_say(to, "]}");
}
