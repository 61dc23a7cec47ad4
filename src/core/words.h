/* Words that somebody mistyped. */
#ifndef CARDAN_CORE_WORDS_H
#define CARDAN_CORE_WORDS_H

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b; 40 for words that are longer than that. */
int cdni_edit_distance(const char *a, const char *b);
/* The candidate closest to a mistyped word, or NULL where none is close. Candidates that are NULL are passed over. */
const char *cdni_closest_word(const char *word, const char *const *candidates, int n);

#endif
