/* The command of a server in a shell script. */
#include "report/import/server_command.h"
#include <string.h>
#include "tap.h"

static struct server_command c;
static struct problem p;

static void gives(const char *text, const char *engine, const char *want)
{
	char words[500];
	server_command_free(&c);
	if (!ok(server_command_read(&c, text, "f", &p) == 0, "%s", text)) {
		printf("# %s\n", p.text);
		return;
	}
	is(c.engine, engine, "its engine");
	is(names_join(&c.word, words, sizeof words), want, "its words");
}

static void refused(const char *text, const char *why)
{
	server_command_free(&c);
	ok(server_command_read(&c, text, "f", &p) < 0 && p.code == EXIT_INPUT &&
	       !strncmp(p.text, why, strlen(why)),
	   "%s", p.text);
}

int main(void)
{
	gives("vllm serve m --x 1", "vllm", "m, --x, 1");
	gives("# vllm serve no\nA=b c\ncd x && exec /opt/bin/vllm serve m; ls",
	      "vllm", "m");
	gives("vllm serve 'a b' \"c\\\"d\" e\\ f \\\n  --y=\"z\" # no\n",
	      "vllm", "a b, c\"d, e f, --y=z");
	gives("M=x/y\nexport N=\"${M}-z\"\nvllm serve $M \"$N\" $O ${P:-q} "
	      "\"$@\" \"\"",
	      "vllm", "x/y, x/y-z, $O, q, ");
	gives("C=${C:-'{\"a\": {\"b\": 1}}'}\nvllm serve -cc \"$C\" ${D:-e",
	      "vllm", "-cc, {\"a\": {\"b\": 1}}, ${D:-e");
	gives("python -m vllm.entrypoints.openai.api_server --model m", "vllm",
	      "--model, m");
	gives("docker run --gpus all vllm/vllm-openai:latest --model m", "vllm",
	      "--model, m");
	gives("python3 -m sglang.launch_server --tp 8 | tee log", "sglang",
	      "--tp, 8");
	gives("sglang serve x", "sglang", "x");
	gives("trtllm-serve serve x --tp_size 2\r\n", "tensorrt_llm",
	      "x, --tp_size, 2");
	gives("trtllm-serve x", "tensorrt_llm", "x");
	gives("C=1\nexport D=2\nA=1 B='c d' vllm serve m", "vllm", "m");
	ok(c.set.n == 3 && !strcmp(c.set.item[0], "D=2") &&
	       !strcmp(c.set.item[2], "B=c d"),
	   "variables that are set for it");
	gives("A_B=1\nvllm\tserve $@ $A_B\tx\\\r\n y$A \"q$A_B\\\\\"", "vllm",
	      "1, x, y$A, q1\\");
	gives("vllm serve ${A:-\"b c\"} ${9} $ ${} ${A:-x", "vllm",
	      "b c, ${9}, $, ${}, ${A:-x");
	refused("vllm serve ${A:-'b}", "f:1: a quote does not end");
	refused("vllm serve \"end\\", "f:1: a quote does not end");
	gives("1A=2 vllm serve m \\", "vllm", "m, \\");
	gives("trtllm-serve m serve", "tensorrt_llm", "m, serve");
	gives("sglang serve serve", "sglang", "serve");
	gives("AB=1\nvllm serve $A ${A} ${AB}", "vllm", "$A, ${A}, 1");
	refused("", "f:1: has no command of a server");
	refused("vllm bench serve x", "f:1: has no command of a server");
	refused("a\nb 'c\n\n", "f:2: a quote does not end");
	server_command_free(&c);
	return done();
}
