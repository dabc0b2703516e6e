/* api/pieces.h -- text as tokens without a vocabulary, and back without loss.
 *
 * Text is cut into runs of one kind (letters, digits, marks, white space,
 * U+0080 to U+07FF, single code points above), and runs into pieces: words of
 * at most 6 letters, 3 capitals, 3 digits, 3 marks, 64 of white space.  A space
 * before a piece belongs to it, and so does '_' or '.' before a small letter.
 * The id of a piece is computed from it: the number of its kind's first piece,
 * and its place among the pieces of that kind, the shorter ones first.  Nothing
 * before a piece changes how it is cut, except inside its own run; so a text
 * that begins with another one begins with nearly the same tokens.  [any
 * thread] */
#pragma once
#include "api/ids.h"

enum special {
	SPECIAL_BEGIN,
	SPECIAL_END,
	SPECIAL_START,
	SPECIAL_SEP,
	SPECIAL_SYSTEM,
	SPECIAL_USER,
	SPECIAL_ASSISTANT,
	SPECIAL_TOOL,
	SPECIAL_DEVELOPER,
	SPECIAL_ROLE,
	SPECIAL_TOOLS,
	SPECIAL_ITEM,
	N_SPECIAL = 16 /* the last four are reserved */
};
uint32_t pieces_special(enum special which);
/* Returns the special token of the role with that name, or 0. */
uint32_t pieces_role(const char *name);
/* Appends the tokens of n bytes of valid UTF-8.  Stops when the list has more
 * than `most` tokens. */
void pieces_encode(const char *s, size_t n, size_t most, struct ids *to);
/* The same by the rule that each `chars` characters are a token, and their
 * hash is its id; 0: by pieces. */
void pieces_encode_by(uint32_t chars, const char *s, size_t n, size_t most,
		      struct ids *to);
/* Returns the token of a word of 1 to 6 small letters, with a space before it
 * or not; and of '.'. */
uint32_t pieces_word(const char *word, size_t n, int has_space);
uint32_t pieces_full_stop(void);
/* Writes the text of a token, which ends with NUL.  Returns its length. */
enum { PIECE_TEXT = 72 };
size_t pieces_text(uint32_t id, char to[PIECE_TEXT]);
