/* Preloaded into a process, lets its nth change of files under a folder fail as on a full disk.
 *
 * FAIL_WRITES_UNDER is the folder, FAIL_WRITES_AT the number of the call that fails, from 1; every
 * later one fails, too, as a disk stays full, if FAIL_WRITES_ON is set. Calls are counted over the
 * process and its threads. When one has failed, a file FAIL_WRITES_MARK is made. Deleting never
 * fails: it needs no room.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long n_calls;

static int is_under(const char *path) {
    const char *folder = getenv("FAIL_WRITES_UNDER");
    size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int is_file_under(int fd) {
    char link[64], path[PATH_MAX + 1];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, PATH_MAX);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_under(path);
}

static int is_name_under(const char *name) {
    char path[2 * PATH_MAX + 2];
    if (name[0] == '/')
        return is_under(name);
    if (!getcwd(path, PATH_MAX))
        return 0;
    strcat(path, "/");
    strncat(path, name, PATH_MAX);
    return is_under(path);
}

static int fails(int is_ours) {
    const char *at = getenv("FAIL_WRITES_AT"), *mark = getenv("FAIL_WRITES_MARK");
    long number, wanted = at ? atol(at) : 0;
    int file;
    if (!is_ours || !wanted)
        return 0;
    number = __atomic_add_fetch(&n_calls, 1, __ATOMIC_SEQ_CST);
    if (number < wanted || (number > wanted && !getenv("FAIL_WRITES_ON")))
        return 0;
    if (mark && (file = creat(mark, 0600)) >= 0)
        close(file);
    errno = ENOSPC;
    return 1;
}

#define REPLACED(type, name, parameters, arguments, is_ours)          \
    type name parameters {                                            \
        static type(*original) parameters;                            \
        if (!original)                                                \
            original = (type(*) parameters) dlsym(RTLD_NEXT, #name);  \
        return fails(is_ours) ? -1 : original arguments;              \
    }

REPLACED(ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n), is_file_under(fd))
REPLACED(ssize_t, pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at), is_file_under(fd))
REPLACED(ssize_t, pwrite64, (int fd, const void *data, size_t n, off64_t at), (fd, data, n, at), is_file_under(fd))
REPLACED(ssize_t, writev, (int fd, const struct iovec *data, int n), (fd, data, n), is_file_under(fd))
REPLACED(int, fsync, (int fd), (fd), is_file_under(fd))
REPLACED(int, fdatasync, (int fd), (fd), is_file_under(fd))
REPLACED(int, ftruncate, (int fd, off_t n), (fd, n), is_file_under(fd))
REPLACED(int, ftruncate64, (int fd, off64_t n), (fd, n), is_file_under(fd))
REPLACED(int, rename, (const char *from, const char *to), (from, to), is_name_under(to))
REPLACED(int, renameat, (int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to), is_name_under(to))
REPLACED(int, link, (const char *from, const char *to), (from, to), is_name_under(to))
REPLACED(int, mkdir, (const char *path, mode_t mode), (path, mode), is_name_under(path))

/* Opening fails where it would make a file. */
#define REPLACED_OPEN(name)                                                                      \
    int name(const char *path, int flags, ...) {                                                 \
        static int (*original)(const char *, int, ...);                                          \
        mode_t mode = 0;                                                                         \
        __builtin_va_list rest;                                                                  \
        if (!original)                                                                           \
            original = (int (*)(const char *, int, ...)) dlsym(RTLD_NEXT, #name);                \
        if (flags & O_CREAT) {                                                                   \
            __builtin_va_start(rest, flags);                                                     \
            mode = __builtin_va_arg(rest, mode_t);                                               \
            __builtin_va_end(rest);                                                              \
        }                                                                                        \
        return fails((flags & O_CREAT) && is_name_under(path)) ? -1 : original(path, flags, mode); \
    }

REPLACED_OPEN(open)
REPLACED_OPEN(open64)
