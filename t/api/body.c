/* Bodies of requests: read, checked and refused. */
#include "api/body.h"
#include <string.h>
#include "api/pieces.h"
#include "tap.h"

static const struct body_limits limits = {
    .max_model_len = 100, .max_prompts = 3, .max_n = 4, .json_depth = 8};
static struct body b;
static struct api_error e;

static int reads(enum body_kind kind, const char *text)
{
	body_free(&b);
	return body_read(kind, text, strlen(text), &limits, &b, &e);
}

static void refuses(enum body_kind kind, const char *text, const char *type,
		    const char *param)
{
	int rc = reads(kind, text);
	ok(rc < 0 && e.status == 400 && !strcmp(e.type, type) &&
	       !strcmp(e.param, param),
	   "%s: %s, %s, '%s'", text, rc < 0 ? e.type : "taken", type,
	   rc < 0 ? e.param : "");
}

#define CHAT "{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]"
#define TEXT "{\"prompt\": \"hi\""
static const char strict[] = "Bad Request", value[] = "BadRequestError";

static void takes(void)
{
	ok(reads(BODY_COMPLETION, TEXT
		 ", \"max_tokens\": 9, \"n\": 2, \"stop\": [\"a\", \"b\"],"
		 "\"stream\": true, \"stream_options\": "
		 "{\"include_usage\": true}, \"seed\": -4, \"x\": [{}]}") ==
		   0 &&
	       b.n_prompts == 1 && b.prompt[0].n == 2 && b.max_tokens == 9 &&
	       b.n == 2 && b.n_stops == 2 && b.stream && b.include_usage &&
	       b.has_seed && b.seed == -4,
	   "a completion");
	ok(reads(BODY_COMPLETION, "{\"prompt\": [[1, 2], [3]]}") == 0 &&
	       b.n_prompts == 2 && b.prompt[1].id[0] == 3 && b.max_tokens == -1,
	   "lists of ids");
	ok(reads(BODY_COMPLETION, "{\"prompt\": [7, 2147483647]}") == 0 &&
	       b.n_prompts == 1 && b.prompt[0].n == 2,
	   "a list of ids");
	ok(reads(BODY_CHAT, CHAT ", \"max_completion_tokens\": 5, "
				 "\"max_tokens\": 7}") == 0 &&
	       b.max_tokens == 5 && b.prompt[0].n == 9 && b.last_n == 1,
	   "a chat: nine tokens");
	ok(reads(BODY_CHAT,
		 "{\"messages\":[{\"role\":\"user\",\"content\":\"weather in "
		 "Paris?\"},{\"role\":\"assistant\",\"content\":null,"
		 "\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\","
		 "\"function\":{\"name\":\"get_weather\",\"arguments\":"
		 "\"{\\\"city\\\": \\\"Paris\\\"}\"}}]},{\"role\":\"tool\","
		 "\"content\":\"18 C\"}]}") == 0 &&
	       b.prompt[0].n == 32 && b.prompt[0].id[13] == 4881 &&
	       b.prompt[0].id[26] == 1927671020,
	   "a tool's call and its answer: 32 tokens");
}

#define A50 " a a a a a a a a a a a a a a a a a a a a a a a a a"

static void more(void)
{
	ok(reads(BODY_CHAT, CHAT ", \"tools\": [ {\"a\":  1} ]}") == 0 &&
	       b.prompt[0].n > 20,
	   "tools count as they stand");
	ok(reads(BODY_COMPLETION,
		 "{\"prompt\": [1,2,3,4,5], \"truncate_prompt_tokens\": 2}") ==
		   0 &&
	       b.prompt[0].n == 2 && b.prompt[0].id[0] == 4,
	   "truncated from the left");
	ok(reads(BODY_COMPLETION,
		 "{\"prompt\": \"" A50 A50 A50 "\", "
		 "\"truncate_prompt_tokens\": -1, \"max_tokens\": 30}") == 0 &&
	       b.prompt[0].n == 70,
	   "-1 leaves room for the answer");
	ok(reads(BODY_TOKENIZE, "{\"prompt\": \"a b\"}") == 0 &&
	       b.prompt[0].n == 3,
	   "to be tokenized");
	ok(reads(BODY_TOKENIZE,
		 "{\"prompt\": \"a b\", \"add_special_tokens\": false}") == 0 &&
	       b.prompt[0].n == 2,
	   "without the token that begins it");
	ok(reads(BODY_DETOKENIZE, "{\"tokens\": [1, 2]}") == 0 &&
	       b.detokenize.n == 2,
	   "to be detokenized");
}

static void refusals(void)
{
	refuses(BODY_CHAT, "{", strict, "body");
	refuses(BODY_CHAT, "[]", strict, "body");
	refuses(BODY_CHAT, "{\"n\": 99999999999999999999}", strict, "body");
	refuses(BODY_CHAT, "[[[[[[[[[]]]]]]]]]", strict, "body");
	refuses(BODY_CHAT, "{}", strict, "body.messages");
	refuses(BODY_CHAT, "{\"messages\": []}", strict, "messages");
	refuses(BODY_CHAT, CHAT ", \"tools\": []}", strict, "tools");
	refuses(BODY_CHAT, CHAT ", \"n\": \"x\"}", strict, "body.n");
	refuses(BODY_CHAT,
		CHAT ", \"continue_final_message\": true, "
		     "\"add_generation_prompt\": true}",
		strict, "");
	refuses(BODY_CHAT, CHAT ", \"chat_template\": \"x\"}", value, "");
	refuses(BODY_CHAT, CHAT ", \"bad_words\": [\"\"]}", value, "");
	refuses(BODY_COMPLETION, TEXT ", \"n\": 2, \"temperature\": 0}", value,
		"");
	refuses(BODY_COMPLETION, TEXT ", \"allowed_token_ids\": []}", value,
		"allowed_token_ids");
	refuses(BODY_COMPLETION, TEXT ", \"truncate_prompt_tokens\": 85}",
		value, "truncate_prompt_tokens");
	refuses(BODY_COMPLETION, "{\"prompt\": \"\"}", strict, "prompt");
	refuses(BODY_COMPLETION, "{}", strict, "prompt");
	refuses(BODY_COMPLETION, "{\"prompt\": []}", strict, "prompt");
	refuses(BODY_COMPLETION, "{\"prompt\": [\"a\",\"a\",\"a\",\"a\"]}",
		strict, "prompt");
	refuses(BODY_COMPLETION, TEXT ", \"stream_options\": {\"a\": 1}}",
		strict, "stream_options");
	refuses(BODY_COMPLETION, TEXT ", \"cache_salt\": \"\"}", strict,
		"cache_salt");
	refuses(BODY_COMPLETION, TEXT ", \"temperature\": 2.5}", value,
		"temperature");
	refuses(BODY_COMPLETION, TEXT ", \"top_p\": 0}", value, "top_p");
	refuses(BODY_COMPLETION, TEXT ", \"max_tokens\": 0}", value,
		"max_tokens");
	refuses(BODY_COMPLETION, TEXT ", \"n\": 5}", value, "");
	refuses(BODY_COMPLETION, TEXT ", \"top_k\": -2}", value, "");
	refuses(BODY_COMPLETION, TEXT ", \"min_p\": 1.5}", value, "");
	refuses(BODY_COMPLETION, TEXT ", \"stop\": [\"\"]}", value, "");
	refuses(BODY_COMPLETION, TEXT ", \"min_tokens\": 9, \"max_tokens\": 3}",
		value, "");
	refuses(BODY_COMPLETION, TEXT ", \"logprobs\": 0}", value, "logprobs");
	refuses(BODY_CHAT, CHAT ", \"kv_transfer_params\": {}}", value,
		"kv_transfer_params");
	refuses(BODY_CHAT, CHAT ", \"tool_choice\": \"required\"}", value,
		"tool_choice");
	refuses(BODY_CHAT,
		CHAT ", \"response_format\": {\"type\": \"json_object\"}}",
		value, "response_format");
	refuses(BODY_COMPLETION, TEXT ", \"max_tokens\": 99}", value,
		"input_tokens");
	ok(strstr(e.message, "maximum context length is 100 tokens. However, "
			     "you requested 99 output tokens and your prompt "
			     "contains 2 input tokens, for a total of 101"),
	   "and it says so");
	refuses(BODY_CHAT, CHAT ", \"max_completion_tokens\": 101}", value,
		"max_completion_tokens");
	char text[800] = "{\"prompt\": \"";
	memset(text + strlen(text), 'a', 700);
	strcat(text, "\"}");
	ok(reads(BODY_COMPLETION, text) < 0 &&
	       strstr(e.message, "contains at least 101 input tokens"),
	   "a prompt that is too long: %s", e.message);
}

int main(void)
{
	takes();
	more();
	refusals();
	body_free(&b);
	return done();
}
