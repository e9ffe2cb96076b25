// A library to preload into a program. It counts the program's calls on the files of one folder, and
// stops the program with SIGSTOP before the n-th call.
//
//   STOP_FOLDER   the folder, by its absolute path
//   STOP_AT       the number of the call, from 1; 0 for none
//   STOP_COUNT    a file of eight bytes with the number of calls so far

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
#include <sys/mman.h>
#include <unistd.h>

static const char *folder;
static long stop_at;
static _Atomic long *count;

static void step(void) {
  int error = errno;
  if (atomic_fetch_add(count, 1) + 1 == stop_at) raise(SIGSTOP);
  errno = error;
}

static int is_inside(const char *path) {
  size_t length = count ? strlen(folder) : 0;
  return count && strncmp(path, folder, length) == 0 && path[length] == '/';
}

static int is_inside_file(int file) {
  if (!count) return 0;
  char link[64], path[PATH_MAX];
  int error = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = error;
  if (length < 0) return 0;
  path[length] = 0;
  return is_inside(path);
}

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("STOP_AT"), *counter = getenv("STOP_COUNT");
  folder = getenv("STOP_FOLDER");
  if (!folder || !at || !counter) return;
  stop_at = atol(at);
  int file = open(counter, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) count = memory;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define ON_PATH(type, name, parameters, path, arguments) \
  type name parameters {                                 \
    if (is_inside(path)) step();                         \
    return NEXT(name) arguments;                         \
  }

#define ON_FILE(type, name, parameters, file, arguments) \
  type name parameters {                                 \
    if (is_inside_file(file)) step();                    \
    return NEXT(name) arguments;                         \
  }

#define OPENING(name)                        \
  int name(const char *path, int flags, ...) { \
    va_list rest;                            \
    va_start(rest, flags);                   \
    mode_t mode = va_arg(rest, mode_t);      \
    va_end(rest);                            \
    if (is_inside(path)) step();             \
    return NEXT(name)(path, flags, mode);    \
  }

#define CONTROLLING(name)                                                                     \
  int name(int file, int command, ...) {                                                      \
    va_list rest;                                                                             \
    va_start(rest, command);                                                                  \
    void *argument = va_arg(rest, void *);                                                    \
    va_end(rest);                                                                             \
    if ((command == F_SETLK || command == F_SETLKW) && is_inside_file(file)) step();          \
    return NEXT(name)(file, command, argument);                                               \
  }

OPENING(open)
OPENING(open64)
CONTROLLING(fcntl)
CONTROLLING(fcntl64)
ON_FILE(ssize_t, read, (int file, void *bytes, size_t size), file, (file, bytes, size))
ON_FILE(ssize_t, write, (int file, const void *bytes, size_t size), file, (file, bytes, size))
ON_FILE(ssize_t, pread, (int file, void *bytes, size_t size, off_t at), file, (file, bytes, size, at))
ON_FILE(
    ssize_t, pread64, (int file, void *bytes, size_t size, off64_t at), file, (file, bytes, size, at))
ON_FILE(
    ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t at), file,
    (file, bytes, size, at))
ON_FILE(
    ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t at), file,
    (file, bytes, size, at))
ON_FILE(int, ftruncate, (int file, off_t size), file, (file, size))
ON_FILE(int, ftruncate64, (int file, off64_t size), file, (file, size))
ON_FILE(int, fsync, (int file), file, (file))
ON_FILE(int, fdatasync, (int file), file, (file))
ON_PATH(int, unlink, (const char *path), path, (path))
ON_PATH(int, rename, (const char *old, const char *path), path, (old, path))
ON_PATH(int, link, (const char *old, const char *path), path, (old, path))
