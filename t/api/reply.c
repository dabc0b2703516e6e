/* Answers: documents and events, stops, choices. */
#include "api/reply.h"
#include "api/pieces.h"
#include <jansson.h>
#include <string.h>
#include "tap.h"

static const struct body_limits limits = {
    .max_model_len = 1000, .max_prompts = 9, .max_n = 9, .json_depth = 9};
static struct body b;
static struct reply r;
static struct buffer out;

static void ask(enum body_kind kind, const char *text, uint32_t drawn)
{
	struct api_error e;
	const struct answer_rules rules = {.max_model_len = 1000,
					   .drawn = drawn};
	reply_free(&r), body_free(&b), buffer_free(&out);
	if (body_read(kind, text, strlen(text), &limits, &b, &e) < 0)
		bail_out(e.message);
	r = (struct reply){.body = &b,
			   .id = "x",
			   .model = "m",
			   .fingerprint = "f",
			   .tells_cached = 1,
			   .n_choices = (uint32_t)(b.n_prompts * (size_t)b.n)};
	r.choice = calloc(r.n_choices, sizeof *r.choice);
	for (uint32_t i = 0; i < r.n_choices; i++)
		answer_plan(&r.choice[i].plan, &b, i / (uint32_t)b.n,
			    i % (uint32_t)b.n, &rules);
}

static uint32_t length(uint32_t i)
{
	const struct answer_plan *a = &r.choice[i].plan;
	return a->stop_tokens ? a->stop_tokens : a->output_tokens;
}

static void answer(uint32_t each)
{
	for (uint32_t i = 0; i < r.n_choices; i++)
		for (uint32_t n = 0; n < length(i); n += each) {
			uint32_t k =
			    length(i) - n < each ? length(i) - n : each;
			reply_tokens(&r, i, k, n + k == length(i), 0, &out);
		}
}

static json_t *document(void)
{
	answer(3);
	reply_document(&r, &out);
	return json_loadb(out.s, out.n, 0, NULL);
}

static const char *text_of(json_t *d, size_t i)
{
	return json_string_value(json_object_get(
	    json_array_get(json_object_get(d, "choices"), i), "text"));
}

static const char *member(json_t *d, const char *name)
{
	return json_string_value(json_object_get(
	    json_array_get(json_object_get(d, "choices"), 0), name));
}

static void documents(void)
{
	ask(BODY_COMPLETION, "{\"prompt\": \"a\", \"max_tokens\": 7}", 3);
	json_t *d = document();
	char first[600];
	snprintf(first, sizeof first, "%s", text_of(d, 0));
	ok(!strcmp(member(d, "finish_reason"), "length") && *first == ' ' &&
	       json_integer_value(json_object_get(json_object_get(d, "usage"),
						  "completion_tokens")) == 7,
	   "exactly max_tokens, with a limit:%s", first);
	json_decref(d);
	ask(BODY_COMPLETION, "{\"prompt\": \"a\", \"max_tokens\": 900}", 3);
	ok(length(0) == 900, "a limit is not ended");
	ask(BODY_CHAT,
	    "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}", 5);
	ok(length(0) == 5 && r.choice[0].plan.has_eos &&
	       r.choice[0].plan.max_tokens == 1000 - 9,
	   "without a limit the drawn length, and it ends by itself");
	d = document();
	ok(!strcmp(member(d, "finish_reason"), "stop"), "with stop");
	json_decref(d);
	ask(BODY_COMPLETION,
	    "{\"prompt\": [\"a\", \"b\"], \"n\": 2, \"echo\": true, "
	    "\"max_tokens\": 2}",
	    3);
	d = document();
	ok(json_array_size(json_object_get(d, "choices")) == 4 &&
	       !strncmp(text_of(d, 2), "b ", 2) &&
	       json_integer_value(json_object_get(json_object_get(d, "usage"),
						  "prompt_tokens")) == 4,
	   "prompts times choices; each prompt counts once");
	json_decref(d);
}

/* Cuts the answer of 40 tokens at a word of it. */
static void stops(void)
{
	char whole[2000], word[40], body[300];
	ask(BODY_COMPLETION, "{\"prompt\": \"a\", \"max_tokens\": 40}", 3);
	json_t *d = document();
	snprintf(whole, sizeof whole, "%s", text_of(d, 0));
	json_decref(d);
	const char *from = strchr(whole + 30, ' ');
	snprintf(word, sizeof word, "%.*s", (int)strcspn(from + 1, " .") + 1,
		 from);
	for (int includes = 0; includes < 2; includes++) {
		snprintf(body, sizeof body,
			 "{\"prompt\": \"a\", \"max_tokens\": 40, \"stop\": "
			 "\"%s\"%s}",
			 word,
			 includes ? ", \"include_stop_str_in_output\": true"
				  : "");
		ask(BODY_COMPLETION, body, 3);
		d = document();
		size_t at = (size_t)(strstr(whole, word) - whole);
		ok(strlen(text_of(d, 0)) ==
			   at + (includes ? strlen(word) : 0) &&
		       !strcmp(member(d, "stop_reason"), word) &&
		       length(0) < 40,
		   "cut %s '%s': %s", includes ? "behind" : "before", word,
		   text_of(d, 0));
		json_decref(d);
	}
	ok(r.choice[0].plan.output_tokens == 40,
	   "the engine goes on until then");
}

/* Of a stream the last characters but one of the stop text are held back, also
 * when the end of the text is known already. */
static void held_back(void)
{
	char made[2000] = "", sent[2000] = "", body[300], piece[PIECE_TEXT];
	size_t wrong = 0, hold = 0;
	ask(BODY_COMPLETION, "{\"prompt\": \"a\", \"max_tokens\": 40}", 3);
	json_t *d = document();
	const char *whole = text_of(d, 0), *at = strchr(whole + 60, ' ') - 2;
	hold = strcspn(at + 3, " ") + 4; /* it ends in the next word but one */
	snprintf(body, sizeof body,
		 "{\"prompt\": \"a\", \"max_tokens\": 40, \"stop\": \"%.*s\", "
		 "\"stream\": true}",
		 (int)hold + 1, at);
	json_decref(d);
	ask(BODY_COMPLETION, body, 3);
	for (uint32_t i = 0; i + 1 < length(0); i++) {
		size_t n =
		    pieces_text(answer_plan_token(&r.choice[0].plan, i), piece);
		strncat(made, piece, n);
		out.n = 0;
		reply_tokens(&r, 0, 1, 0, 0, &out);
		d = json_loadb(out.s + 6, out.n - 8, 0, NULL);
		strcat(sent, text_of(d, 0));
		json_decref(d);
		n = strlen(made) > hold ? strlen(made) - hold : 0;
		wrong += strlen(sent) != n || strncmp(sent, made, n) != 0;
	}
	ok(wrong == 0 && length(0) < 40, "%s: held back", body);
}

static void events(void)
{
	ask(BODY_CHAT,
	    "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], "
	    "\"max_tokens\": 4, \"stream\": true, \"stream_options\": "
	    "{\"include_usage\": true}}",
	    3);
	answer(1);
	reply_end(&r, &out);
	int n = 0, whole = 1;
	char text[400] = "";
	for (char *line = strtok(out.s, "\n"); line;
	     line = strtok(NULL, "\n")) {
		n++;
		if (!strcmp(line, "data: [DONE]"))
			break;
		json_t *e = json_loads(line + 6, 0, NULL);
		const char *more = json_string_value(json_object_get(
		    json_object_get(
			json_array_get(json_object_get(e, "choices"), 0),
			"delta"),
		    "content"));
		whole &= e != NULL;
		if (more)
			strcat(text, more);
		json_decref(e);
	}
	ok(n == 7 && whole, "role, four tokens, usage, the end: %d", n);
	ok(*text && *text != ' ', "a chat begins without a space: %s", text);
}

int main(void)
{
	documents();
	stops();
	held_back();
	events();
	reply_free(&r), body_free(&b), buffer_free(&out);
	return done();
}
