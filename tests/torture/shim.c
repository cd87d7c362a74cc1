/* A library that fails, or ends the process, at the n-th call that changes a folder or its contents.
 *
 *     cc -shared -fPIC -o shim.so shim.c -ldl
 *     SHIM_FOLDER=$PWD/out SHIM_AT=3 SHIM_ERROR=EIO LD_PRELOAD=./shim.so incast run …
 *
 * SHIM_ERROR is KILL, or EIO or ENOSPC, with which all later calls fail as well. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;

/* Whether a call has to fail: its path is in the folder, and its number is due. Sets errno. */
static int fails(const char *path) {
    const char *folder = getenv("SHIM_FOLDER"), *at = getenv("SHIM_AT");
    const char *error = getenv("SHIM_ERROR");
    if (!folder || !at || !error || !path || strncmp(path, folder, strlen(folder)) != 0)
        return 0;
    if (atomic_fetch_add(&calls, 1) + 1 < atol(at))
        return 0;
    if (strcmp(error, "KILL") == 0)
        kill(getpid(), SIGKILL);
    errno = strcmp(error, "ENOSPC") == 0 ? ENOSPC : EIO;
    return 1;
}

static int fails_at(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return fails(path);
}

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name)                                       \
    int name(const char *path, int flags, ...) {         \
        va_list rest;                                    \
        va_start(rest, flags);                           \
        int mode = va_arg(rest, int);                    \
        va_end(rest);                                    \
        if ((flags & O_ACCMODE) != O_RDONLY && fails(path)) \
            return -1;                                   \
        NEXT(name);                                      \
        return next(path, flags, mode);                  \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *bytes, size_t count) {
    if (fails_at(file))
        return -1;
    NEXT(write);
    return next(file, bytes, count);
}

int fsync(int file) {
    if (fails_at(file))
        return -1;
    NEXT(fsync);
    return next(file);
}

int rename(const char *from, const char *to) {
    if (fails(to))
        return -1;
    NEXT(rename);
    return next(from, to);
}

int mkdir(const char *path, mode_t mode) {
    if (fails(path))
        return -1;
    NEXT(mkdir);
    return next(path, mode);
}

int unlink(const char *path) {
    if (fails(path))
        return -1;
    NEXT(unlink);
    return next(path);
}

int rmdir(const char *path) {
    if (fails(path))
        return -1;
    NEXT(rmdir);
    return next(path);
}
