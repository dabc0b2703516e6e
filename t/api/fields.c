/* Types of a body's fields: taken, replaced or refused as vLLM's models do it.
 */
#include "api/fields.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static const struct {
	enum fields_of of;
	const char *body, *want; /* what it becomes; or the field refused */
} is[] = {
    {OF_COMPLETION, "{\"echo\":\"No\",\"stream\":1,\"ignore_eos\":0.0}",
     "{\"echo\":false,\"ignore_eos\":false,\"stream\":true}"},
    {OF_COMPLETION, "{\"n\":\" 3 \",\"seed\":true,\"max_tokens\":2.0}",
     "{\"max_tokens\":2,\"n\":3,\"seed\":1}"},
    {OF_COMPLETION, "{\"min_p\":\"0.5\",\"top_p\":1,\"top_k\":\"-1\"}",
     "{\"min_p\":0.5,\"top_k\":-1,\"top_p\":1}"},
    {OF_COMPLETION, "{\"logit_bias\":{\"7\":\"2\"},\"stop_token_ids\":[\"1\"]}",
     "{\"logit_bias\":{\"7\":2},\"stop_token_ids\":[1]}"},
    {OF_CHAT, "{\"stream_options\":{\"include_usage\":\"yes\"}}",
     "{\"stream_options\":{\"include_usage\":true}}"},
    {OF_CHAT, "{\"n\":null,\"nobody\":[null]}",
     "{\"n\":null,\"nobody\":[null]}"},
    {OF_TOKENIZE_TEXT, "{\"n\":\"x\",\"prompt\":\"\"}",
     "{\"n\":\"x\",\"prompt\":\"\"}"},
    {OF_COMPLETION, "{\"n\":null}", "body.n"},
    {OF_COMPLETION, "{\"n\":\"x\"}", "body.n"},
    {OF_COMPLETION, "{\"n\":\"\"}", "body.n"},
    {OF_COMPLETION, "{\"n\":1e300}", "body.n"},
    {OF_COMPLETION, "{\"seed\":\"9223372036854775808\"}", "body.seed"},
    {OF_COMPLETION, "{\"top_p\":\"nan\"}", "body.top_p"},
    {OF_COMPLETION, "{\"logit_bias\":{\"x\":1}}", "body.logit_bias"},
    {OF_COMPLETION, "{\"stop_token_ids\":[1,null]}", "body.stop_token_ids"},
    {OF_COMPLETION, "{\"truncation_side\":\"Left\"}", "body.truncation_side"},
    {OF_COMPLETION, "{\"thinking_token_budget\":1.0}",
     "body.thinking_token_budget"},
    {OF_CHAT, "{\"stream_options\":{\"include_usage\":3}}",
     "body.stream_options.include_usage"},
    {OF_CHAT, "{\"tools\":[[]]}", "body.tools"},
    {OF_CHAT, "{\"bad_words\":[1]}", "body.bad_words"},
    {OF_CHAT, "{\"reasoning_effort\":\"most\"}", "body.reasoning_effort"},
    {OF_TOKENIZE_TEXT, "{\"prompt\":[1]}", "body.prompt"},
    {OF_DETOKENIZE, "{\"model\":1}", "body.model"},
};

int main(void)
{
	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		json_t *body = json_loads(is[i].body, 0, NULL);
		struct api_error e = {0};
		int rc = fields_check(body, is[i].of, &e);
		char *now = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
		ok(rc == 0
		       ? !strcmp(now, is[i].want)
		       : e.status == 400 && !strcmp(e.type, "Bad Request") &&
			     !strcmp(e.param, is[i].want),
		   "%s: %s", is[i].body, rc == 0 ? now : e.param);
		free(now);
		json_decref(body);
	}
	return done();
}
