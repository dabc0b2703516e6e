/* model/hf_special.h -- properties of single architectures that no flag of
 * hf_family.h covers.  Each function is called after the common fields are
 * read, and its keys override theirs. */
#pragma once
#include "model/hf_kinds.h"

/* Architectures from before Llama, with other field names: hf_classic.c. */
void hf_read_bloom(struct hf_reader *r);
void hf_read_chatglm(struct hf_reader *r);
void hf_read_dbrx(struct hf_reader *r);
void hf_read_exaone(struct hf_reader *r);
void hf_read_falcon(struct hf_reader *r);
void hf_read_gpt2(struct hf_reader *r);
void hf_read_gptj(struct hf_reader *r);
void hf_read_mpt(struct hf_reader *r);
void hf_read_olmo(struct hf_reader *r);
void hf_read_opt(struct hf_reader *r);
void hf_read_phi(struct hf_reader *r);
void hf_read_qwen(struct hf_reader *r);
void hf_read_stablelm(struct hf_reader *r);
void hf_read_starcoder2(struct hf_reader *r);

/* Layers with a KV cache of fixed size, and layers of several kinds:
 * hf_hybrid.c. */
void hf_read_blocks(struct hf_reader *r);
void hf_read_falcon_h1(struct hf_reader *r);
void hf_read_gated_delta(struct hf_reader *r);
void hf_read_granite_hybrid(struct hf_reader *r);
void hf_read_jamba(struct hf_reader *r);
void hf_read_kimi_linear(struct hf_reader *r);
void hf_read_lfm2(struct hf_reader *r);
void hf_read_mamba(struct hf_reader *r);
void hf_read_minimax_text(struct hf_reader *r);
void hf_read_nemotron_h(struct hf_reader *r);

/* All others: hf_special.c. */
void hf_read_afmoe(struct hf_reader *r);
void hf_read_apertus(struct hf_reader *r);
void hf_read_arctic(struct hf_reader *r);
void hf_read_bailing(struct hf_reader *r);
void hf_read_deepseek_v4(struct hf_reader *r);
void hf_read_ernie(struct hf_reader *r);
void hf_read_gemma3n(struct hf_reader *r);
void hf_read_gemma4(struct hf_reader *r);
void hf_read_grok(struct hf_reader *r);
void hf_read_hunyuan(struct hf_reader *r);
void hf_read_internlm(struct hf_reader *r);
void hf_read_laguna(struct hf_reader *r);
void hf_read_longcat(struct hf_reader *r);
void hf_read_mimo_v2(struct hf_reader *r);
void hf_read_minimax_m3(struct hf_reader *r);
void hf_read_mllama(struct hf_reader *r);
void hf_read_phimoe(struct hf_reader *r);
void hf_read_seed_oss(struct hf_reader *r);
void hf_read_step3(struct hf_reader *r);
void hf_read_step3p5(struct hf_reader *r);
