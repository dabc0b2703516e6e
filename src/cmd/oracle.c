/* oracle.c -- The command `oracle`: prices batches that come as lines of
 * JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json/json_cursor.h"
#include "cmd/cmd.h"
#include "oracle/pricer.h"
#include "serve/post.h"

enum { DEEPEST = 64, MOST_BODY = 32 << 20 };

struct options {
	const char *listen;
	double answer_limit_s, memory_limit_gib;
};
static const struct options defaults = {.answer_limit_s = JOB_ANSWER_LIMIT_S,
					.memory_limit_gib =
					    JOB_MEMORY_LIMIT_GIB};
static const struct option_def option[] = {
    OPTION(
	TEXT, "listen", "HOST:PORT", listen,
	"answer POST /oracle over HTTP instead of lines; port 0: any free one"),
    JOB_LIMITS(struct options, , "an arm fails", "an arm"),
};

struct oracle {
	struct config config;
	struct pricer pricer;
	struct buffer out;
	struct problem signal; /* EXIT_DONE: none came */
	const char *listen;    /* NULL: lines */
	int has_fault;         /* 1: the last answer has one */
};

static void put_text(struct buffer *to, const char *name, const char *s)
{
	buffer_say(to, ",\"%s\":", name);
	buffer_json(to, s, strlen(s));
}

static void first_line(struct oracle *o)
{
	buffer_say(&o->out,
		   "{\"stepcost_oracle\":1,\"stepcost\":\"%s\","
		   "\"arms\":[",
		   PACKAGE_VERSION);
	for (size_t i = 0; i < o->pricer.n; i++) {
		const struct arm_process *a = &o->pricer.arm[i];
		const struct pricer_slot *s = pricer_slot(&o->pricer, i);
		buffer_say(&o->out, "%s{\"name\":", i ? "," : "");
		buffer_json(&o->out, a->name, strlen(a->name));
		put_text(&o->out, "plugin", a->config->arm[i].plugin);
		put_text(&o->out, "version", s->version);
		put_text(&o->out, "model", s->model);
		put_text(&o->out, "hardware", s->hardware);
		buffer_say(&o->out,
			   ",\"parallel\":{\"tp\":%d,\"pp\":%d,\"ep\":%d,"
			   "\"dp\":%d}",
			   s->tp, s->pp, s->ep, s->dp);
		put_text(&o->out, "tables", s->tables);
		buffer_add(&o->out, "}", 1);
	}
	buffer_say(&o->out, "]}\n");
}

static void put_fault(struct oracle *o, const struct problem *p)
{
	o->has_fault = 1;
	buffer_say(&o->out, "\"error\":");
	buffer_json(&o->out, p->text, strlen(p->text));
	buffer_say(&o->out, ",\"code\":%d", p->code);
}

/* Appends the answer of one arm, without braces. */
static void ask(struct oracle *o, json_t *object, size_t arm)
{
	struct question q;
	struct problem p = {0};
	const struct oracle_price *a = NULL;
	if (question_read(object, pricer_columns(&o->pricer, arm), &q, &p) == 0)
		a = pricer_price(&o->pricer, arm, &q, &p);
	if (a) {
		question_answer(a, &o->out);
		return;
	}
	if (p.code >= 128)
		o->signal = p;
	put_fault(o, &p);
}

static void answer_all(struct oracle *o, json_t *object)
{
	buffer_say(&o->out, "\"arms\":{");
	for (size_t i = 0; i < o->pricer.n; i++) {
		const char *name = o->pricer.arm[i].name;
		if (i)
			buffer_add(&o->out, ",", 1);
		buffer_json(&o->out, name, strlen(name));
		buffer_add(&o->out, ":{", 2);
		ask(o, object, i);
		buffer_add(&o->out, "}", 1);
	}
	buffer_add(&o->out, "}", 1);
}

/* Answers a question with the arm that it names, or with all arms. */
static void answer(struct oracle *o, json_t *object)
{
	const char *wanted = json_string_value(json_object_get(object, "arm"));
	struct problem p;
	size_t i = 0;
	buffer_add(&o->out, "{", 1);
	question_put_id(json_object_get(object, "id"), &o->out);
	while (wanted && i < o->pricer.n &&
	       strcmp(wanted, o->pricer.arm[i].name) != 0)
		i++;
	if (i == o->pricer.n) {
		problem_set(&p, EXIT_USAGE, "arm: there is no arm '%.60s'",
			    wanted);
		put_fault(o, &p);
	} else if (wanted || o->pricer.n == 1) {
		ask(o, object, i);
	} else {
		answer_all(o, object);
	}
	buffer_add(&o->out, "}", 1);
}

static void answer_line(struct oracle *o, const char *line, size_t n)
{
	json_error_t why;
	struct problem p;
	size_t i;
	json_t *one, *root = NULL;
	if (json_depth(line, n) <= DEEPEST)
		root = json_loadb(line, n, 0, &why);
	else
		snprintf(why.text, sizeof why.text, "nested too deep");
	if (!root) {
		problem_set(&p, EXIT_INPUT, "no JSON: %s", why.text);
		buffer_add(&o->out, "{", 1);
		put_fault(o, &p);
		buffer_say(&o->out, "}\n");
		return;
	}
	if (json_is_array(root)) {
		buffer_add(&o->out, "[", 1);
		json_array_foreach(root, i, one)
		{
			if (i)
				buffer_add(&o->out, ",", 1);
			answer(o, one);
		}
		buffer_add(&o->out, "]", 1);
	} else {
		answer(o, root);
	}
	buffer_add(&o->out, "\n", 1);
	json_decref(root);
}

static int flush(struct oracle *o, struct problem *p)
{
	if (o->out.out_of_memory)
		return problem_no_memory(p);
	if (fwrite(o->out.s, 1, o->out.n, stdout) != o->out.n || fflush(stdout))
		return problem_set(p, EXIT_USAGE, "standard output: %s",
				   strerror(errno));
	o->out.n = 0;
	return 0;
}

/* Answers the questions on standard input, one a line, until its end. */
static int serve(struct oracle *o, struct problem *p)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	first_line(o);
	int rc = flush(o, p);
	while (rc == 0 && (n = getline(&line, &cap, stdin)) > 0) {
		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		answer_line(o, line, (size_t)n);
		rc = flush(o, p);
		if (rc == 0 && o->signal.code) {
			*p = o->signal;
			rc = -1;
		}
	}
	free(line);
	return rc;
}

/* ---- over HTTP ---- */

static int answer_post(void *user, const char *body, size_t n,
		       struct buffer *out)
{
	struct oracle *o = user;
	o->out.n = 0;
	o->has_fault = 0;
	answer_line(o, body, n);
	buffer_add(out, o->out.s, o->out.n);
	return o->has_fault ? 400 : 200;
}

static void listens(void *user, int port, int local)
{
	const struct oracle *o = user;
	if (!strncmp(o->listen, "unix:", 5))
		printf("oracle at %s\n", o->listen);
	else
		printf("oracle at http://%.*s:%d\n",
		       (int)(strrchr(o->listen, ':') - o->listen), o->listen,
		       port);
	fflush(stdout);
	if (!local)
		say("warning: %s is not this machine alone: others can ask",
		    o->listen);
}

static int look(void *user)
{
	struct oracle *o = user;
	struct problem p;
	int rc = children_wait(&o->pricer.children, 0, &p);
	children_look(&o->pricer.children);
	return rc < 0 || o->signal.code ? -1 : 0;
}

static int serve_http(struct oracle *o, struct problem *p)
{
	struct buffer greeting = {0};
	first_line(o);
	buffer_add(&greeting, o->out.s, o->out.n);
	const struct post_options options = {.listen = o->listen,
					     .path = "/oracle",
					     .greeting = greeting.s,
					     .most_body = MOST_BODY,
					     .answer = answer_post,
					     .listens = listens,
					     .look = look,
					     .fd = o->pricer.children.signals,
					     .user = o};
	int rc = post_serve(&options, p);
	buffer_free(&greeting);
	return rc;
}

struct remarks {
	const struct cmdline *c;
	const char *arm; /* NULL: there is no other */
};

static void print_remark(void *user, const char *line)
{
	const struct remarks *r = user;
	if (r->arm)
		print_note(r->c, "arm %s: %s", r->arm, line);
	else
		print_note(r->c, "%s", line);
}

/* Passes on what the arms said when they began. */
static void print_remarks(const struct pricer *r, const struct cmdline *c)
{
	for (size_t i = 0; i < r->n; i++)
		arm_process_remarks(
		    &r->arm[i], print_remark,
		    &(struct remarks){c, r->n > 1 ? r->arm[i].name : NULL});
}

static int price(struct oracle *o, const struct cmdline *c, struct problem *p)
{
	const struct options *options = c->own;
	if (pricer_open(&o->pricer, &o->config, options->answer_limit_s,
			options->memory_limit_gib, p) < 0)
		return -1;
	print_remarks(&o->pricer, c);
	return o->listen ? serve_http(o, p) : serve(o, p);
}

static int run(const struct cmdline *c)
{
	const struct options *options = c->own;
	struct oracle *o = calloc(1, sizeof *o);
	struct problem p;
	int code = EXIT_DONE;
	if (!o)
		return print_error((problem_no_memory(&p), &p));
	o->listen = options->listen;
	if (config_load_priced(&o->config, c->arg[0], c->set.item, c->set.n,
			       c->arms, NULL, &p) < 0) {
		code = print_error(&p);
	} else {
		print_priced_config_note(&o->config, c);
		if (price(o, c, &p) < 0)
			code = print_error(&p);
		pricer_close(&o->pricer);
	}
	buffer_free(&o->out);
	config_free(&o->config);
	free(o);
	return code;
}

const struct command command_oracle = {
    .name = "oracle",
    .args = "CONFIG",
    .summary = "price batches that simulators ask for: lines of JSON from "
	       "standard input, an answer for each to standard output",
    .min_args = 1,
    .max_args = 1,
    .formats = WRITES_TEXT,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
