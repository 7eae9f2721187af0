/* Where an import's files come from: folders, archives, databases. Not for other rooms. */
#ifndef IMPORT_TAKE_H
#define IMPORT_TAKE_H

#include <loom/import/frame.h>

/* How much of a file tells what it is. */
#define IMPORT_LOOK ((size_t)1 << 18)

/* ---- archives (unzip.c) ---- */

struct import_zip_member {
	struct loom_str name; /* as it stands there: any bytes */
	uint64_t at;
	uint64_t packed;
	uint64_t size;
	uint32_t crc;
	unsigned method;
	bool secret; /* encrypted */
};
struct import_zip {
	struct loom_str name;
	struct loom_str bytes; /* borrowed */
	struct import_zip_member *members;
	size_t count;
};
/* Whether bytes begin like a ZIP archive. */
bool import_zip_is(struct loom_str head);
/* Reads the list of members, in the order of their bytes. LOOM_INVALID for a damaged archive and
 * one whose members overlap, LOOM_LIMIT for too many or too large ones. */
enum loom_status import_zip_open(struct loom_str name, struct loom_str bytes,
				 struct loom_arena *arena, struct import_zip *out,
				 struct loom_err *err) LOOM_MUST;
/* Gives the first `most` bytes of a member, unpacked, in pieces. LOOM_INVALID, LOOM_REFUSED with
 * the name of what is missing, or the status of `give`. */
enum loom_status import_zip_read(const struct import_zip *zip, size_t member, uint64_t most,
				 enum loom_status (*give)(void *ctx, struct loom_str bytes,
							  struct loom_err *err),
				 void *ctx, struct loom_err *err) LOOM_MUST;

/* ---- the files (walk.c) ---- */

enum import_kind { IMPORT_FILE, IMPORT_STREAM, IMPORT_DATABASE, IMPORT_MEMBER };

/* A file to import, or to list. */
struct import_taken {
	struct loom_str name; /* for people: its path, or ARCHIVE:MEMBER */
	const char *path;     /* of the file, or of the archive */
	enum import_kind kind;
	struct loom_str origin; /* the name of what the person named: file, folder or archive */
	bool given;             /* named by the person, so that an unknown format is an error */
	bool first;             /* others refer to it */
	size_t archive;
	size_t member;
	uint64_t size;
};
struct import_archive {
	struct import_spill bytes;
	struct import_zip zip;
};
struct import_walk {
	struct loom_import *import;
	const struct loom_import_paths *paths;
	struct loom_arena *arena;
	struct loom_str origin; /* of what is found now */
	struct import_taken *items;
	size_t count;
	size_t cap;
	struct import_archive *archives;
	size_t archive_count;
	size_t archive_cap;
};
/* Finds the files behind the paths: folders in the order of their names, archives with their
 * members. Fails on a path that the person named and that cannot be read. */
enum loom_status import_walk_open(struct import_walk *walk, struct loom_err *err) LOOM_MUST;
/* Frees the archives and what was found in them. */
void import_walk_fini(struct import_walk *walk);
/* Appends the first bytes of a file. Nothing for a stream, whose bytes cannot be given back. */
enum loom_status import_walk_head(struct import_walk *walk, const struct import_taken *item,
				  size_t most, struct loom_buf *out,
				  struct loom_err *err) LOOM_MUST;
/* Appends a file's bytes, or the rows of a database as lines. */
enum loom_status import_walk_read(struct import_walk *walk, const struct import_taken *item,
				  struct import_spill *out, struct loom_err *err) LOOM_MUST;

struct stat;
/* Whether a file is as it was when an earlier import with --sync saw it; notes how it is now. */
bool import_sync_seen(struct loom_import_sync *sync, const char *path, const struct stat *info);

/* The reader whose database this is; NULL if none is. */
const struct import_reader *import_database_reader(struct loom_foreign *foreign);
/* The reader of a file that begins so; NULL if none recognises it. */
const struct import_reader *import_reader_of(struct loom_import *import, struct loom_str head);

#endif
