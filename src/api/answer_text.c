/* answer_text.c -- Draws words. */
#include "api/answer_text.h"
#include <string.h>
#include "api/pieces.h"
#include "base/hash.h"

static const char word[][7] = {
    "the",    "of",     "and",    "to",     "a",      "in",     "is",
    "it",     "that",   "for",    "was",    "on",     "are",    "as",
    "with",   "his",    "they",   "at",     "be",     "this",   "from",
    "have",   "or",     "by",     "one",    "had",    "not",    "but",
    "what",   "all",    "were",   "when",   "we",     "there",  "can",
    "an",     "your",   "which",  "their",  "said",   "if",     "do",
    "will",   "each",   "about",  "how",    "up",     "out",    "them",
    "then",   "she",    "many",   "some",   "so",     "these",  "would",
    "other",  "into",   "has",    "more",   "her",    "two",    "like",
    "him",    "see",    "time",   "could",  "no",     "make",   "than",
    "first",  "been",   "its",    "who",    "now",    "people", "my",
    "made",   "over",   "did",    "down",   "only",   "way",    "find",
    "use",    "may",    "water",  "long",   "little", "very",   "after",
    "words",  "called", "just",   "where",  "most",   "know",   "get",
    "back",   "much",   "before", "go",     "good",   "new",    "write",
    "our",    "used",   "me",     "man",    "too",    "any",    "day",
    "same",   "right",  "look",   "think",  "also",   "around", "came",
    "come",   "work",   "three",  "word",   "must",   "does",   "part",
    "even",   "place",  "well",   "such",   "here",   "take",   "why",
    "things", "help",   "put",    "years",  "away",   "again",  "off",
    "went",   "old",    "number", "great",  "tell",   "men",    "say",
    "small",  "every",  "found",  "still",  "name",   "should", "home",
    "big",    "give",   "air",    "line",   "set",    "own",    "under",
    "read",   "last",   "never",  "us",     "left",   "end",    "along",
    "while",  "might",  "next",   "sound",  "below",  "saw",    "both",
    "few",    "those",  "always", "looked", "show",   "large",  "often",
    "asked",  "house",  "world",  "going",  "want",   "school", "until",
    "form",   "food",   "keep",   "feet",   "land",   "side",   "boys",
    "once",   "animal", "life",   "enough", "took",   "four",   "head",
    "above",  "kind",   "began",  "almost", "live",   "page",   "got",
    "earth",  "need",   "far",    "hand",   "high",   "year",   "mother",
    "light",  "parts",  "father", "let",    "night",  "second", "eyes",
    "city",   "tree",   "cross",  "hard",   "start",  "story",  "saying",
};
enum { N_WORDS = sizeof word / sizeof *word, STRETCH = 12, SHORTEST = 4 };

uint64_t answer_key(const struct ids *prompt, uint32_t choice, uint64_t seed,
		    uint64_t server_seed)
{
	uint64_t h = HASH_BEGIN;
	for (size_t i = 0; i < prompt->n; i++)
		h = hash_mix(h ^ prompt->id[i]) + i;
	h = hash_mix(h ^ ((uint64_t)choice << 32)) + prompt->n;
	h = hash_mix(h ^ seed);
	return hash_mix(h + hash_mix(server_seed + 1));
}

/* In each stretch one place, not among its first, is a full stop. */
static int is_stop(uint64_t key, uint64_t i)
{
	uint64_t drawn = hash_mix(key ^ hash_mix(~(i / STRETCH)));
	return i % STRETCH == SHORTEST + drawn % (STRETCH - SHORTEST);
}

uint32_t answer_token(const struct answer_source *s, uint64_t i)
{
	if (s->n_echo)
		return s->echo[i % s->n_echo];
	if (is_stop(s->key, i))
		return pieces_full_stop();
	const char *w = word[hash_mix(s->key + i + 1) % N_WORDS];
	int has_space = i > 0 || !s->begins_bare;
	return pieces_word(w, strlen(w), has_space);
}
