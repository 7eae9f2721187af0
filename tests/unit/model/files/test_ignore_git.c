/* The ignore rules against git itself, on random hostile trees: not one difference.
 *
 * git lists what it would show of a folder through a throw-away repository that knows no file and
 * no other rules. .teddyignore becomes git's topmost group of patterns (-x); a folder that a
 * .gitignore excludes and .teddyignore may reach into is opened for git by two patterns before
 * them. LOOM_NIGHTLY=1 in the environment makes it 20,000 trees, LOOM_NIGHTLY=n makes it n. */
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/files/ignore.h>

#include "support/child.h"
#include "support/prop.h"
#include "support/temp.h"

static const char *const hostile_names[] = {"a",  "b",   "ab",       "abc",  "c",    "x.o", "a.o",
					    ".a", "..a", "\xC3\xA9", "[a]",  "[",    "]",   "*",
					    "**", "?",   "\\",       "\\a",  "a\\b", "a b", " a",
					    "a ", "!a",  "#a",       "#",    "-",    "a-c", "A",
					    "\t", "a\t", "\x01",     "\xFF", "^",    ":",   "x",
					    "xa", "xx",  "{a}"};
static const char *const plain_names[] = {"a", "b", "ab", "c", "x.o", "d"};

static const char *const tokens[] = {
	"a",          "b",           "c",         "x",           ".",           "o",
	"*",          "*",           "?",         "**",          "***",         "/",
	"/",          "/",           "**/",       "/**",         "/**/",        "[ab]",
	"[!a]",       "[^a]",        "[a-c]",     "[]a]",        "[!]]",        "[a-]",
	"[c-a]",      "[[:alpha:]]", "[[:foo:]]", "[[:punct:]]", "[[:space:]]", "[[:cntrl:]]",
	"[[:alpha:]", "[[:a]]",      "[[:]",      "[/]",         "[a/b]",       "[",
	"]",          "\\",          "\\*",       "\\a",         "\\\\",        "\\/",
	"[\\]]",      "[\\a-c]",     "!",         "#",           " ",           "\t",
	"\r",         "\xC3\xA9",    "\xC3",      "[\xA0-\xFF]", "\\ ",         ".a",
	"ab",         "-",           "^",         ":",           "[*]",         "[?-]",
	"x.o",        "[--0]",       "[!",        "[^]",         "{a}",         "**/*",
	"*/",         "a/",          "\x01"};

struct tree {
	struct temp temp;
	struct temp repository;
	struct loom_arena *arena;
	struct loom_str *folders; /* the root first, sorted by making: parents before children */
	size_t folder_count;
	struct loom_str *teddy; /* its lines */
	size_t teddy_count;
};

static void make_repository(struct temp *temp)
{
	const char *argv[] = {"git", "init", "-q", "--bare", temp->path, NULL};
	struct child_result result;

	temp_init(temp);
	if (!child_run(argv, NULL, &result) || result.status != 0)
		abort();
	child_fini(&result);
}

static struct loom_str joined(struct loom_arena *arena, struct loom_str folder, const char *name)
{
	return folder.n ? loom_arena_format(arena, "%.*s/%s", LOOM_STR_ARG(folder), name)
			: loom_arena_str(arena, loom_str_of(name));
}

static void write_file(const struct tree *tree, struct loom_str path, struct loom_str text)
{
	temp_write(&tree->temp, loom_arena_cstr(tree->arena, path), text);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Some folders, some files and now and then a link or an empty folder in each. */
static void make_files(struct tree *tree, struct prop *prop, const char *const *names, size_t count)
{
	size_t wanted = 1 + prop_below(prop, 7);

	tree->folders = LOOM_ARENA_ARRAY(tree->arena, wanted, struct loom_str);
	tree->folder_count = 1;
	while (tree->folder_count < wanted) {
		struct loom_str parent = tree->folders[prop_below(prop, tree->folder_count)];
		struct loom_str path = joined(tree->arena, parent, names[prop_below(prop, count)]);
		char *full = temp_path(&tree->temp, loom_arena_cstr(tree->arena, path));

		if (mkdir(full, 0700) == 0)
			tree->folders[tree->folder_count++] = path;
		else
			wanted--;
		free(full);
	}
	for (size_t i = 0; i < tree->folder_count * 4; i++) {
		struct loom_str path =
			joined(tree->arena, tree->folders[prop_below(prop, tree->folder_count)],
			       names[prop_below(prop, count)]);
		char *full = temp_path(&tree->temp, loom_arena_cstr(tree->arena, path));

		if (!is_there(full) && prop_once_in(prop, 8))
			(void)!symlink("a", full);
		else if (!is_there(full))
			write_file(tree, path, LOOM_STR("x"));
		free(full);
	}
}

static void add_pattern(struct prop *prop, struct loom_buf *out)
{
	size_t parts = 1 + prop_below(prop, 4);

	if (prop_once_in(prop, 3))
		loom_buf_addc(out, '!');
	for (size_t i = 0; i < parts; i++)
		loom_buf_adds(out, tokens[prop_below(prop, LOOM_COUNT(tokens))]);
	loom_buf_add_repeat(out, ' ', prop_once_in(prop, 8) ? 2 : 0);
}

static void make_ignore_file(struct tree *tree, struct prop *prop, struct loom_str folder)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t lines = 1 + prop_below(prop, 4);

	if (prop_once_in(prop, 10))
		loom_buf_adds(&text, "\xEF\xBB\xBF");
	for (size_t i = 0; i < lines; i++) {
		if (i)
			loom_buf_adds(&text, prop_once_in(prop, 6) ? "\r\n" : "\n");
		if (prop_once_in(prop, 30))
			loom_buf_addc(&text, '\0');
		add_pattern(prop, &text);
		if (prop_once_in(prop, 60))
			loom_buf_add(&text, LOOM_STR("\0b"));
	}
	if (!prop_once_in(prop, 4))
		loom_buf_addc(&text, '\n');
	write_file(tree, joined(tree->arena, folder, ".gitignore"), loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* Lines that git's -x takes as they are: no blanks at the end, no comment, not empty. */
static void make_teddy(struct tree *tree, struct prop *prop)
{
	static const char *const parts[] = {"a", "b", "ab", "c", "d", "x.o", "*", "?", "a*"};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	tree->teddy_count = 1 + prop_below(prop, 4);
	tree->teddy = LOOM_ARENA_ARRAY(tree->arena, tree->teddy_count, struct loom_str);
	for (size_t i = 0; i < tree->teddy_count; i++) {
		size_t from = text.n;
		size_t depth = 1 + prop_below(prop, 3);

		loom_buf_adds(&text, prop_once_in(prop, 3) ? "" : "!");
		loom_buf_adds(&text, prop_once_in(prop, 4) ? "/" : "");
		for (size_t k = 0; k < depth; k++) {
			loom_buf_adds(&text, k ? "/" : "");
			loom_buf_adds(&text, parts[prop_below(prop, LOOM_COUNT(parts))]);
		}
		loom_buf_adds(&text, prop_once_in(prop, 5) ? "/" : "");
		tree->teddy[i] =
			loom_arena_str(tree->arena, loom_str_make(text.p + from, text.n - from));
		loom_buf_addc(&text, '\n');
	}
	write_file(tree, LOOM_STR(".teddyignore"), loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* Whether an inclusion of .teddyignore could match below a folder: it has no slash, or its first
 * parts match the folder's parts, and it has more. */
static bool teddy_reaches(const struct tree *tree, struct loom_str folder)
{
	for (size_t i = 0; i < tree->teddy_count; i++) {
		struct loom_str line = tree->teddy[i];
		struct loom_str path = folder;
		struct loom_str have;
		struct loom_str want;
		bool same = true;

		if (line.p[0] != '!')
			continue;
		line = loom_str_sub(line, 1, line.n);
		if (line.p[line.n - 1] == '/')
			line.n--;
		if (!memchr(line.p, '/', line.n))
			return true;
		if (line.p[0] == '/')
			line = loom_str_sub(line, 1, line.n);
		while (same && loom_str_cut(&path, '/', &have))
			same = loom_str_cut(&line, '/', &want) &&
			       fnmatch(loom_arena_cstr(tree->arena, want),
				       loom_arena_cstr(tree->arena, have), 0) == 0;
		if (same && line.p)
			return true;
	}
	return false;
}

/* Patterns that open for git each excluded folder that .teddyignore reaches into. */
static size_t add_ladder(const struct tree *tree, const char **argv, size_t n)
{
	struct loom_root root;

	if (!tree->teddy_count)
		return n;
	if (loom_root_open(tree->temp.path, &root, NULL) != LOOM_OK)
		abort();
	for (size_t i = 1; i < tree->folder_count; i++) {
		struct loom_str folder = tree->folders[i];
		struct loom_ignore_why why;

		if (loom_ignore_explain(&root, folder, tree->arena, &why, NULL) != LOOM_OK)
			abort();
		if (!why.hidden || loom_str_is(why.file, ".teddyignore") ||
		    !teddy_reaches(tree, folder))
			continue;
		argv[n++] = "-x";
		argv[n++] = loom_arena_format(tree->arena, "!/%.*s/", LOOM_STR_ARG(folder)).p;
		argv[n++] = "-x";
		argv[n++] = loom_arena_format(tree->arena, "/%.*s/*", LOOM_STR_ARG(folder)).p;
	}
	loom_root_close(&root);
	return n;
}

static int by_bytes(const void *a, const void *b)
{
	return loom_str_cmp(*(const struct loom_str *)a, *(const struct loom_str *)b);
}

struct list {
	struct loom_arena *arena;
	struct loom_str *items;
	size_t count;
	size_t cap;
};

static void add_path(struct list *list, struct loom_str path)
{
	list->items = loom_arena_grow(list->arena, list->items, list->count, &list->cap,
				      sizeof *list->items);
	list->items[list->count++] = loom_arena_str(list->arena, path);
}

static bool add_seen(void *ctx, const struct loom_seen *seen)
{
	if (seen->kind != LOOM_FILE_FOLDER)
		add_path(ctx, seen->path);
	return true;
}

static bool is_ignore_file(struct loom_str path)
{
	return loom_str_ends(path, LOOM_STR(".gitignore")) ||
	       loom_str_ends(path, LOOM_STR(".teddyignore"));
}

/* One pattern by line for -x, ours to the end. */
static struct list ask_git(const struct tree *tree)
{
	const char *env[] = {"GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent", NULL};
	const char *argv[128] = {
		"git",
		loom_arena_format(tree->arena, "--git-dir=%s", tree->repository.path).p,
		loom_arena_format(tree->arena, "--work-tree=%s", tree->temp.path).p,
		"ls-files",
		"-o",
		"-z",
		"--exclude-per-directory=.gitignore",
	};
	struct child_opts opts = {.env = env, .cwd = tree->temp.path};
	struct list list = {.arena = tree->arena};
	struct child_result result;
	struct loom_str rest;
	struct loom_str path;
	size_t n = add_ladder(tree, argv, 7);

	for (size_t i = 0; i < tree->teddy_count; i++) {
		argv[n++] = "-x";
		argv[n++] = tree->teddy[i].p;
	}
	if (!child_run(argv, &opts, &result) || result.status != 0)
		abort();
	rest = loom_buf_str(&result.out);
	while (rest.n && loom_str_cut(&rest, '\0', &path))
		if (path.n && !is_ignore_file(path))
			add_path(&list, path);
	child_fini(&result);
	return list;
}

static struct list ask_loom(const struct tree *tree)
{
	struct list list = {.arena = tree->arena};
	struct loom_root root;

	if (loom_root_open(tree->temp.path, &root, NULL) != LOOM_OK ||
	    loom_ignore_walk(&root, NULL, add_seen, &list, NULL) != LOOM_OK)
		abort();
	loom_root_close(&root);
	if (list.count)
		qsort(list.items, list.count, sizeof *list.items, by_bytes);
	return list;
}

static void print_quoted(struct loom_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || (unsigned char)s.p[i] >= 0x7F)
			printf("\\x%02X", (unsigned char)s.p[i]);
		else
			putchar(s.p[i]);
	putchar('\n');
}

static void print_difference(const struct tree *tree, const struct list *ours,
			     const struct list *theirs)
{
	printf("# rules:\n");
	for (size_t i = 0; i < tree->folder_count; i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_str path = joined(tree->arena, tree->folders[i], ".gitignore");
		char *full = temp_path(&tree->temp, loom_arena_cstr(tree->arena, path));

		if (temp_read(full, &text)) {
			printf("  ");
			print_quoted(path);
			print_quoted(loom_buf_str(&text));
		}
		loom_buf_fini(&text);
		free(full);
	}
	for (size_t i = 0; i < tree->teddy_count; i++) {
		printf("  teddy: ");
		print_quoted(tree->teddy[i]);
	}
	for (size_t i = 0, k = 0; i < ours->count || k < theirs->count;) {
		int order = i == ours->count     ? 1
			    : k == theirs->count ? -1
						 : loom_str_cmp(ours->items[i], theirs->items[k]);

		if (order) {
			printf(order < 0 ? "  only loom: " : "  only git: ");
			print_quoted(order < 0 ? ours->items[i] : theirs->items[k]);
		}
		i += order <= 0;
		k += order >= 0;
	}
}

static bool same_lists(const struct tree *tree)
{
	struct list ours = ask_loom(tree);
	struct list theirs = ask_git(tree);
	bool same = ours.count == theirs.count;

	for (size_t i = 0; same && i < ours.count; i++)
		same = loom_str_eq(ours.items[i], theirs.items[i]);
	if (!same)
		print_difference(tree, &ours, &theirs);
	return same;
}

static bool git_is_here(void)
{
	const char *argv[] = {"git", "--version", NULL};
	struct child_result result;
	bool here = child_run(argv, NULL, &result) && result.status == 0;

	child_fini(&result);
	return here;
}

static size_t how_many(size_t usually)
{
	const char *asked = getenv("LOOM_NIGHTLY");
	uint64_t n = 0;

	if (!asked || !loom_str_to_u64(loom_str_of(asked), &n) || !n)
		return usually;
	return n == 1 ? 20000 : (size_t)n;
}

static void one_tree(struct tree *tree, struct prop *prop, bool with_teddy)
{
	temp_init(&tree->temp);
	tree->arena = loom_arena_create();
	if (with_teddy)
		make_files(tree, prop, plain_names, LOOM_COUNT(plain_names));
	else
		make_files(tree, prop, hostile_names, LOOM_COUNT(hostile_names));
	for (size_t i = 0; i < tree->folder_count; i++)
		if (i == 0 || prop_once_in(prop, 3))
			make_ignore_file(tree, prop, tree->folders[i]);
	if (with_teddy)
		make_teddy(tree, prop);
}

/* ---- a folder of a repository ---- */

static bool git(const struct tree *tree, struct loom_str folder, const char *const *words,
		size_t count, struct child_result *result)
{
	const char *env[] = {"GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent", NULL};
	const char *argv[16] = {"git"};
	char *cwd = temp_path(&tree->temp, loom_arena_cstr(tree->arena, folder));
	struct child_opts opts = {.env = env, .cwd = cwd};
	bool done = false;

	for (size_t i = 0; i < count; i++)
		argv[i + 1] = words[i];
	done = child_run(argv, &opts, result) && result->status == 0;
	free(cwd);
	return done;
}

static struct list git_lists(const struct tree *tree, struct loom_str folder)
{
	static const char *const words[] = {"ls-files", "-co", "--exclude-standard", "-z"};
	struct list list = {.arena = tree->arena};
	struct child_result result;
	struct loom_str rest;
	struct loom_str path;

	if (!git(tree, folder, words, LOOM_COUNT(words), &result))
		abort();
	rest = loom_buf_str(&result.out);
	while (rest.n && loom_str_cut(&rest, '\0', &path))
		if (path.n && !is_ignore_file(path))
			add_path(&list, path);
	child_fini(&result);
	if (list.count)
		qsort(list.items, list.count, sizeof *list.items, by_bytes);
	return list;
}

static struct list loom_lists(const struct tree *tree, struct loom_str folder)
{
	struct list list = {.arena = tree->arena};
	char *path = temp_path(&tree->temp, loom_arena_cstr(tree->arena, folder));
	struct loom_root root;

	if (loom_root_open(path, &root, NULL) != LOOM_OK ||
	    loom_ignore_walk(&root, NULL, add_seen, &list, NULL) != LOOM_OK)
		abort();
	loom_root_close(&root);
	free(path);
	if (list.count)
		qsort(list.items, list.count, sizeof *list.items, by_bytes);
	return list;
}

/* Each folder of the tree as a root of its own. */
static bool same_everywhere(const struct tree *tree)
{
	bool same = true;

	for (size_t i = 0; same && i < tree->folder_count; i++) {
		struct list ours = loom_lists(tree, tree->folders[i]);
		struct list theirs = git_lists(tree, tree->folders[i]);

		same = ours.count == theirs.count;
		for (size_t k = 0; same && k < ours.count; k++)
			same = loom_str_eq(ours.items[k], theirs.items[k]);
		if (!same) {
			printf("# in ");
			print_quoted(tree->folders[i]);
			print_difference(tree, &ours, &theirs);
		}
	}
	return same;
}

static void make_package_tree(struct tree *tree, struct prop *prop, bool hostile)
{
	static const char *const init[] = {"init", "-q"};
	struct child_result result;

	temp_init(&tree->temp);
	tree->arena = loom_arena_create();
	if (hostile)
		make_files(tree, prop, hostile_names, LOOM_COUNT(hostile_names));
	else
		make_files(tree, prop, plain_names, LOOM_COUNT(plain_names));
	for (size_t i = 0; i < tree->folder_count; i++)
		if (i == 0 || prop_once_in(prop, 2))
			make_ignore_file(tree, prop, tree->folders[i]);
	if (!git(tree, LOOM_STR(""), init, LOOM_COUNT(init), &result))
		abort();
	child_fini(&result);
	if (prop_once_in(prop, 3))
		temp_write(&tree->temp, ".git/info/exclude", LOOM_STR("# ours\n*.o\n!x.o\nb\n"));
}

TEST every_folder_of_a_repository_is_seen_as_git_sees_it_there(void)
{
	struct tree tree = {0};
	struct prop prop;
	bool same = true;

	if (!git_is_here())
		SKIPm("git is not installed");
	prop_init(&prop, "packages");
	for (size_t i = 0, count = how_many(60); same && i < count; i++) {
		make_package_tree(&tree, &prop, prop_once_in(&prop, 3));
		same = same_everywhere(&tree);
		loom_arena_destroy(tree.arena);
		temp_fini(&tree.temp);
		tree = (struct tree){0};
	}
	ASSERT(same);
	PASS();
}

static enum greatest_test_res compare(const char *name, size_t count, bool with_teddy)
{
	struct tree tree = {0};
	struct prop prop;
	bool same = true;

	if (!git_is_here())
		SKIPm("git is not installed");
	prop_init(&prop, name);
	make_repository(&tree.repository);
	for (size_t i = 0; same && i < count; i++) {
		one_tree(&tree, &prop, with_teddy);
		same = same_lists(&tree);
		loom_arena_destroy(tree.arena);
		temp_fini(&tree.temp);
		tree = (struct tree){.repository = tree.repository};
	}
	temp_fini(&tree.repository);
	ASSERT(same);
	PASS();
}

/* A piece of a pattern, and pieces of a path that it may well match, apart by bars. */
static const struct {
	const char *pattern;
	const char *paths;
} pieces[] = {
	{"a", "a"},
	{"b", "b"},
	{"x", "x"},
	{"/", "/"},
	{"/", "/"},
	{"*", "|a|ab|x.o|a/b"},
	{"*", "|b|a"},
	{"**", "|a/b|a|/b/a/|ab"},
	{"***", "a/x|b"},
	{"/**", "/a/b|/b|"},
	{"**/", "a/b/|b/||/"},
	{"/**/", "/a/b/|/|/x/|/a/"},
	{"*/", "a/|ab/|a/b/|/"},
	{"?", "a|b|/|\xC3\xA9|"},
	{"[ab]", "a|b|c|/"},
	{"[!a]", "b|a|/|c"},
	{"[^a-c]", "d|b|/|-"},
	{"[a-c]", "a|b|c|d|-"},
	{"[c-a]", "a|b|c|-"},
	{"[a-c-e]", "a|-|e|d"},
	{"[a-]", "a|-|b"},
	{"[]a]", "]|a|b"},
	{"[!]a]", "]|a|b|/"},
	{"[--0]", "-|.|0|/"},
	{"[\\a-c]", "a|b|c|\\"},
	{"[a-\\c]", "b|c|\\|-"},
	{"[\\]]", "]|\\|\\]"},
	{"[[a]", "[|a|:"},
	{"[[:a]", "[|:|a|b"},
	{"[[:]", ":|[|]"},
	{"[[:alpha:]-z]", "a|-|z|Z"},
	{"[a[:digit:]]", "a|5|[|:"},
	{"[[:foo:]a]", "a|f|o"},
	{"[![:space:]]", " |\t|\f|\v|a|\r"},
	{"[[:space:]]", " |\t|\f|\v|a|\r"},
	{"[[:blank:]]", " |\t|a"},
	{"[[:punct:]]", "!|~|_|@|a| "},
	{"[[:cntrl:]]", "\x01|\x7F|\xFF|a"},
	{"[[:graph:]]", "a|!| |\x7F"},
	{"[[:print:]]", "a| |\x01|\xC3"},
	{"[[:alnum:]]", "a|5|_"},
	{"[[:upper:]]", "A|a"},
	{"[[:lower:]]", "A|a"},
	{"[[:xdigit:]]", "A|a|g|9"},
	{"[\xA0-\xFF]", "\xC3|\xA0|\x9F|a"},
	{"[", "[|a"},
	{"[a", "[a|a"},
	{"]", "]"},
	{"\\", "\\|a"},
	{"\\*", "*|a|\\*"},
	{"\\/", "/|\\/|a"},
	{"\\[", "[|\\["},
	{"\\\\", "\\|\\\\"},
	{"\\ ", " |\\ |"},
	{"[/]", "/|a"},
	{"[a/b]", "/|a|b"},
	{"{a,b}", "a|{a,b}"},
	{".", ".|a"},
};

static struct loom_str one_of(struct prop *prop, const char *choices)
{
	struct loom_str rest = loom_str_of(choices);
	struct loom_str item = rest;
	size_t count = 1;
	size_t wanted = 0;

	for (size_t i = 0; i < rest.n; i++)
		count += rest.p[i] == '|';
	wanted = prop_below(prop, count);
	for (size_t i = 0; i <= wanted; i++)
		(void)loom_str_cut(&rest, '|', &item);
	return item;
}

/* Makes a file and its folders; what is in the way stays. */
static void put_file(const struct tree *tree, struct loom_str path)
{
	char *full = temp_path(&tree->temp, loom_arena_cstr(tree->arena, path));
	int fd = -1;

	for (char *at = full + strlen(tree->temp.path) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		(void)!mkdir(full, 0700);
		*at = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	free(full);
}

/* A pattern and, with the same pieces, some paths that come near to it. */
static void make_pattern_and_paths(struct tree *tree, struct prop *prop, struct loom_str folder)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t picked[6];
	size_t count = 1 + prop_below(prop, LOOM_COUNT(picked));

	for (size_t i = 0; i < count; i++) {
		picked[i] = prop_below(prop, LOOM_COUNT(pieces));
		loom_buf_adds(&text, pieces[picked[i]].pattern);
	}
	write_file(tree, joined(tree->arena, folder, ".gitignore"), loom_buf_str(&text));
	for (int k = 0; k < 10; k++) {
		struct loom_buf normal = LOOM_BUF_INIT(LOOM_BUF_MAX);

		loom_buf_clear(&text);
		for (size_t i = 0; i < count; i++)
			loom_buf_add(&text, one_of(prop, pieces[picked[i]].paths));
		if (loom_path_normal(loom_buf_str(&text), &normal, NULL) == LOOM_OK && normal.n)
			put_file(tree, joined(tree->arena, folder, loom_buf_cstr(&normal)));
		loom_buf_fini(&normal);
	}
	loom_buf_fini(&text);
}

/* Hundreds of patterns in one question: each has a folder of its own. */
static bool patterns_agree(struct tree *tree, struct prop *prop, size_t count)
{
	bool same = true;

	temp_init(&tree->temp);
	tree->arena = loom_arena_create();
	tree->folders = LOOM_ARENA_ARRAY(tree->arena, count, struct loom_str);
	for (tree->folder_count = 0; tree->folder_count < count; tree->folder_count++) {
		struct loom_str folder = loom_arena_format(tree->arena, "p%zu", tree->folder_count);

		tree->folders[tree->folder_count] = folder;
		make_pattern_and_paths(tree, prop, folder);
	}
	same = same_lists(tree);
	loom_arena_destroy(tree->arena);
	temp_fini(&tree->temp);
	return same;
}

TEST random_patterns_match_the_paths_that_git_matches(void)
{
	struct tree tree = {0};
	struct prop prop;
	size_t rounds = how_many(400) / 100;
	bool same = true;

	if (!git_is_here())
		SKIPm("git is not installed");
	prop_init(&prop, "patterns");
	make_repository(&tree.repository);
	for (size_t i = 0; same && i < rounds; i++)
		same = patterns_agree(&tree, &prop, 400);
	temp_fini(&tree.repository);
	ASSERT(same);
	PASS();
}

TEST random_gitignores_hide_what_git_hides(void)
{
	CHECK_CALL(compare("gitignore", how_many(250), false));
	PASS();
}

TEST random_teddyignores_hide_what_gits_topmost_patterns_hide(void)
{
	CHECK_CALL(compare("teddyignore", how_many(150), true));
	PASS();
}

SUITE(ignore_git)
{
	RUN_TEST(every_folder_of_a_repository_is_seen_as_git_sees_it_there);
	RUN_TEST(random_patterns_match_the_paths_that_git_matches);
	RUN_TEST(random_gitignores_hide_what_git_hides);
	RUN_TEST(random_teddyignores_hide_what_gits_topmost_patterns_hide);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	/* Many small files: a disk would take most of the time. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(ignore_git);
	GREATEST_MAIN_END();
}
