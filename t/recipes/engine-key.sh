words='NAME=probe_tokens'
wants='ok'
plant() {
	behind src/engine/keys/engine_keys.h 'struct engine_keys {' '	int64_t probe_tokens;'
	behind src/engine/engine.h 'struct engine {' '	uint32_t probe_tokens;'
	before src/engine/keys/rows.c '    INT(block_size, "16"' '    INT(probe_tokens, "0", 0, 1e9, "1", "A number of tokens.", ANY,
	COPIED(probe_tokens, SCHEDULE)),'
}
