/* tables/cachefolder.h -- the user's folder for what can be made again:
 * $XDG_CACHE_HOME/stepcost, by default ~/.cache/stepcost. */
#ifndef SC_TABLES_CACHEFOLDER_H
#define SC_TABLES_CACHEFOLDER_H

/* Returns the folder `sub` in it, made if it is not there; the caller frees it.
 * NULL: there is none, and none can be made. */
char *cachefolder_open(const char *sub);
#endif
