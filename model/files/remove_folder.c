/* Removes a folder with its contents, leaves first, without recursion. */
#include <errno.h>
#include <loom/files/beneath.h>

#include <fcntl.h>
#include <unistd.h>

void model_folders_push(struct model_folders *tree, struct loom_str folder)
{
	LOOM_ASSERT(tree->arena);
	tree->folders = loom_arena_grow(tree->arena, tree->folders, tree->count, &tree->cap,
					sizeof(*tree->folders));
	tree->folders[tree->count++] = folder;
}

struct loom_str model_folder_join(struct loom_arena *arena, struct loom_str folder,
				  struct loom_str name)
{
	if (folder.n == 0)
		return name;
	return loom_arena_format(arena, "%.*s/%.*s", LOOM_STR_ARG(folder), LOOM_STR_ARG(name));
}

void model_remove_folder(const struct loom_root *parent, const char *name)
{
	struct model_folders tree = {.arena = loom_arena_create()};
	struct loom_root root = *parent;

	root.fd = model_open_beneath(parent->fd, name, O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (root.fd < 0)
		goto done;
	model_folders_push(&tree, LOOM_STR(""));
	for (size_t i = 0; i < tree.count; i++) {
		struct loom_folder_item *items = NULL;
		size_t count = 0;

		if (loom_folder_list(&root, tree.folders[i], tree.arena, &items, &count, NULL))
			continue;
		for (size_t k = 0; k < count; k++) {
			struct loom_str path =
				model_folder_join(tree.arena, tree.folders[i], items[k].name);

			if (items[k].kind == LOOM_FILE_FOLDER)
				model_folders_push(&tree, path);
			else
				unlinkat(root.fd, loom_arena_cstr(tree.arena, path), 0);
		}
	}
	for (size_t i = tree.count; i > 1; i--)
		unlinkat(root.fd, loom_arena_cstr(tree.arena, tree.folders[i - 1]), AT_REMOVEDIR);
	unlinkat(parent->fd, name, AT_REMOVEDIR);
done:
	loom_root_close(&root);
	loom_arena_destroy(tree.arena);
}

enum loom_status loom_file_remove(const struct loom_root *root, struct loom_str path,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	size_t slash = path.n;
	int folder = -1;
	int gone = -1;

	while (slash && path.p[slash - 1] != '/')
		slash--;
	folder = model_open_beneath(root->fd,
				    loom_arena_cstr(arena,
						    loom_str_sub(path, 0, slash ? slash - 1 : 0)),
				    O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	LOOM_ASSERT(path.n);
	if (folder >= 0)
		gone = unlinkat(folder, loom_arena_cstr(arena, loom_str_sub(path, slash, path.n)),
				0);
	if (gone < 0)
		(void)!model_path_fail(err, errno, loom_arena_cstr(arena, path));
	else
		fsync(folder);
	if (folder >= 0)
		close(folder);
	loom_arena_destroy(arena);
	return gone < 0 ? (err ? err->status : LOOM_IO) : LOOM_OK;
}
