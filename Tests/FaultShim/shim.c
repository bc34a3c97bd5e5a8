// Preloaded into a process (LD_PRELOAD), makes its calls on some files fail, or kills it at one of them.
//
//   FAULT_PATH=P      the files: every path that begins with P, and the directory of P
//   FAULT_CALL=N      the Nth call on these files fails, counted from 1
//   FAULT_ONLY=write  counts the calls of this name only
//   FAULT_ERRNO=N     with this error; 0: the call does half of its work, and returns that
//   FAULT_ALWAYS=1    each later call fails too
//   FAULT_KILL=N      the process is killed at its Nth point: before a call, in its middle, after it; and before every
//                     single store into the mapped journal (x86-64 only)
//   FAULT_COUNT=F     at its end the process writes to F the number of calls, points and failures, and of actions that
//                     had returned before the first failure, and one line per call
//   FAULT_LOG=F       every change of these files is written to F, in order: writes, syncs, stores and deletions
//
// The shim makes its own calls with syscall(2), so that it never calls itself.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { descriptors = 4096, areas = 16, names = 64, page = 4096 };

static const char *wanted, *only;
static size_t wanted_length;
static char directory[PATH_MAX];
static long fail_at, kill_at;
static int fail_errno, fail_always, log_descriptor = -1;
static atomic_long calls, points, failures, returned, returned_before = -1;
static char trace[1 << 20];
static atomic_size_t trace_length;

/// The number of each descriptor's file, from 1; 0 for other files.
static atomic_uchar files[descriptors];
static char paths[names][PATH_MAX];
static int path_count;

/// The memory in which the journal is mapped.
static struct area { uint8_t *start; size_t count; off_t offset; uint8_t file; } mapped[areas];
static uint8_t *shadow;
static size_t shadow_count;

static atomic_flag lock = ATOMIC_FLAG_INIT;
static void enter(void) { while (atomic_flag_test_and_set(&lock)) syscall(SYS_sched_yield); }
static void leave(void) { atomic_flag_clear(&lock); }

static void read_settings(void) {
    static atomic_int ready;
    if (atomic_load(&ready)) return;
    const char *text;
    if ((text = getenv("FAULT_PATH"))) {
        snprintf(directory, sizeof directory, "%s", text);
        char *slash = strrchr(directory, '/');
        if (slash) *slash = 0;
        wanted_length = strlen(text);
    }
    only = getenv("FAULT_ONLY");
    if ((text = getenv("FAULT_CALL"))) fail_at = atol(text);
    if ((text = getenv("FAULT_ERRNO"))) fail_errno = atoi(text);
    if ((text = getenv("FAULT_ALWAYS"))) fail_always = atoi(text);
    if ((text = getenv("FAULT_KILL"))) kill_at = atol(text);
    if ((text = getenv("FAULT_LOG")))
        log_descriptor = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    wanted = getenv("FAULT_PATH");
    atomic_store(&ready, 1);
}

// MARK: Points and failures

static void point(void) {
    if (atomic_fetch_add(&points, 1) + 1 != kill_at) return;
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;) syscall(SYS_pause);
}

/// Counts a call, and returns whether it must fail.
static int fails(const char *name, int file) {
    // SQLite retries for seconds if it gets no lock, so a lock fails only if FAULT_ONLY names it.
    if (strcmp(only ? only : name, name) || (!only && !strcmp(name, "lock"))) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    char line[96];
    int count = snprintf(line, sizeof line, "%s %s\n", name, file ? paths[file] + wanted_length : "");
    size_t at = atomic_fetch_add(&trace_length, count);
    if (at + count < sizeof trace) memcpy(trace + at, line, count);
    if (!fail_at || number < fail_at || (number > fail_at && !fail_always)) return 0;
    if (atomic_fetch_add(&failures, 1) == 0) atomic_store(&returned_before, atomic_load(&returned));
    return 1;
}

// MARK: The log

static void note(char kind, int file, uint64_t offset, const void *bytes, uint32_t count) {
    if (log_descriptor < 0) return;
    struct __attribute__((packed)) { char kind; uint8_t file; uint64_t offset; uint32_t count; } head =
        { kind, (uint8_t)file, offset, count };
    struct iovec parts[2] = { { &head, sizeof head }, { (void *)bytes, count } };
    syscall(SYS_writev, log_descriptor, parts, count ? 2 : 1);
}

static const char *suffix(int file) { return paths[file] + wanted_length; }

// MARK: Descriptors

static int file_of(int descriptor) {
    return descriptor >= 0 && descriptor < descriptors ? atomic_load(&files[descriptor]) : 0;
}

static int number_of(const char *path) {
    read_settings();
    if (!wanted || !path) return 0;
    if (strncmp(path, wanted, wanted_length) && strcmp(path, directory)) return 0;
    enter();
    int file = 1;
    while (file <= path_count && strcmp(paths[file], path)) file++;
    if (file > path_count && file < names) snprintf(paths[path_count = file], PATH_MAX, "%s", path);
    leave();
    return file < names ? file : 0;
}

static int is_directory(int file) { return !strcmp(paths[file], directory); }

static int do_open(int at, const char *path, int flags, mode_t mode) {
    int file = number_of(path);
    if (!file) return syscall(SYS_openat, at, path, flags, mode);
    point();
    if (fails("open", file) && fail_errno) { errno = fail_errno; return -1; }
    int is_new = (flags & O_CREAT) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
    enter();
    int descriptor = syscall(SYS_openat, at, path, flags, mode);
    int error = errno;
    if (descriptor >= 0 && descriptor < descriptors) atomic_store(&files[descriptor], file);
    if (descriptor >= 0 && is_new) note('c', file, 0, suffix(file), strlen(suffix(file)));
    leave();
    point();
    errno = error;
    return descriptor;
}

EXPORT int openat(int at, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return do_open(at, path, flags, mode);
}
EXPORT int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return do_open(AT_FDCWD, path, flags, mode);
}
EXPORT int open64(const char *path, int flags, ...) __attribute__((alias("open")));
EXPORT int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

EXPORT int close(int descriptor) {
    if (file_of(descriptor)) atomic_store(&files[descriptor], 0);
    return syscall(SYS_close, descriptor);
}

// MARK: Writing

static ssize_t raw_write(int descriptor, const void *bytes, size_t count, off_t offset) {
    return offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                      : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

/// Writes at an offset, or at the descriptor's own if the offset is negative.
static ssize_t do_write(int descriptor, const void *bytes, size_t count, off_t offset) {
    int file = file_of(descriptor);
    if (!file) {
        read_settings();
        // The process's reports, in order with its changes.
        if (descriptor == 1 && count == 8) {
            int64_t number;
            memcpy(&number, bytes, 8);
            if (number > 0) atomic_fetch_add(&returned, 1);
            enter();
            note('r', 0, 0, bytes, 8);
            leave();
        }
        return raw_write(descriptor, bytes, count, offset);
    }
    point();
    int failing = fails("write", file);
    if (failing && fail_errno) { errno = fail_errno; return -1; }
    off_t place = offset < 0 ? syscall(SYS_lseek, descriptor, 0, SEEK_CUR) : offset;
    size_t half = count / 2;
    // In the middle of the call.
    if (atomic_fetch_add(&points, 1) + 1 == kill_at) {
        raw_write(descriptor, bytes, half, offset);
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    }
    if (failing && half) count = half;
    enter();
    ssize_t result = raw_write(descriptor, bytes, count, offset);
    int error = errno;
    if (result > 0) note('w', file, place, bytes, result);
    leave();
    point();
    errno = error;
    return result;
}

EXPORT ssize_t write(int descriptor, const void *bytes, size_t count) {
    return do_write(descriptor, bytes, count, -1);
}
EXPORT ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return do_write(descriptor, bytes, count, offset);
}
EXPORT ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset)
    __attribute__((alias("pwrite64")));
EXPORT ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (!file_of(descriptor)) return syscall(SYS_writev, descriptor, parts, count);
    ssize_t sum = 0;
    for (int part = 0; part < count; part++) {
        ssize_t result = do_write(descriptor, parts[part].iov_base, parts[part].iov_len, -1);
        if (result < 0) return sum ? sum : result;
        sum += result;
        if ((size_t)result < parts[part].iov_len) break;
    }
    return sum;
}

// MARK: Other changes

/// A call that does all or nothing: its points, its failure and its log entry.
#define CHANGE(name, file, kind, offset, bytes, count, action)                                                        \
    do {                                                                                                              \
        point();                                                                                                      \
        if (fails(name, file) && fail_errno) { errno = fail_errno; return -1; }                                       \
        enter();                                                                                                      \
        long result = (action);                                                                                       \
        int error = errno;                                                                                            \
        if (result == 0) note(kind, file, offset, bytes, count);                                                      \
        leave();                                                                                                      \
        point();                                                                                                      \
        errno = error;                                                                                                \
        return result;                                                                                                \
    } while (0)

EXPORT int ftruncate64(int descriptor, off_t length) {
    int file = file_of(descriptor);
    if (!file) return syscall(SYS_ftruncate, descriptor, length);
    // The part that is cut off is zero if the file is extended again.
    if (shadow && length < (off_t)shadow_count && !strcmp(suffix(file), "-ahead"))
        memset(shadow + length, 0, shadow_count - length);
    CHANGE("truncate", file, 't', length, NULL, 0, syscall(SYS_ftruncate, descriptor, length));
}
EXPORT int ftruncate(int descriptor, off_t length) __attribute__((alias("ftruncate64")));

static int do_allocate(int descriptor, int mode, off_t offset, off_t length) {
    int file = file_of(descriptor);
    if (!file) return syscall(SYS_fallocate, descriptor, mode, offset, length);
    if (atomic_fetch_add(&points, 1) + 1 == kill_at) {
        syscall(SYS_fallocate, descriptor, mode, offset, length / 2);
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    }
    CHANGE("allocate", file, 'a', offset + length, NULL, 0,
           syscall(SYS_fallocate, descriptor, mode, offset, length));
}
EXPORT int fallocate64(int descriptor, int mode, off_t offset, off_t length) {
    return do_allocate(descriptor, mode, offset, length);
}
EXPORT int fallocate(int descriptor, int mode, off_t offset, off_t length) __attribute__((alias("fallocate64")));
EXPORT int posix_fallocate64(int descriptor, off_t offset, off_t length) {
    // It returns its error and does not set errno.
    int before = errno;
    int error = do_allocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
    errno = before;
    return error;
}
EXPORT int posix_fallocate(int descriptor, off_t offset, off_t length) __attribute__((alias("posix_fallocate64")));

EXPORT int fdatasync(int descriptor) {
    int file = file_of(descriptor);
    if (!file) return syscall(SYS_fdatasync, descriptor);
    CHANGE("sync", file, is_directory(file) ? 'd' : 's', 0, NULL, 0, syscall(SYS_fdatasync, descriptor));
}
EXPORT int fsync(int descriptor) {
    int file = file_of(descriptor);
    if (!file) return syscall(SYS_fsync, descriptor);
    CHANGE("sync", file, is_directory(file) ? 'd' : 's', 0, NULL, 0, syscall(SYS_fsync, descriptor));
}

EXPORT int unlink(const char *path) {
    int file = number_of(path);
    if (!file) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    CHANGE("unlink", file, 'u', 0, NULL, 0, syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
EXPORT int rename(const char *from, const char *to) {
    int file = number_of(from);
    if (!file) return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    CHANGE("rename", file, 'n', 0, to, strlen(to), syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
EXPORT int flock(int descriptor, int operation) {
    int file = file_of(descriptor);
    if (file && fails("lock", file) && fail_errno) { errno = fail_errno; return -1; }
    return syscall(SYS_flock, descriptor, operation);
}
EXPORT int fcntl64(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    int file = command == F_SETLK || command == F_SETLKW ? file_of(descriptor) : 0;
    if (file && fails("lock", file) && fail_errno) { errno = fail_errno; return -1; }
    return syscall(SYS_fcntl, descriptor, command, argument);
}
EXPORT int fcntl(int descriptor, int command, ...) __attribute__((alias("fcntl64")));
EXPORT ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
    int file = file_of(descriptor);
    if (file && fails("read", file) && fail_errno) { errno = fail_errno; return -1; }
    return syscall(SYS_pread64, descriptor, bytes, count, offset);
}
EXPORT ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) __attribute__((alias("pread64")));

// MARK: Mapped files

/// Writes the changed bytes of a page to the log.
static void note_page(struct area *area, uint8_t *start) {
    if (log_descriptor < 0) return;
    off_t place = area->offset + (start - area->start);
    enter();
    if (place + page <= (off_t)shadow_count) {
        int first = 0, last = page;
        while (first < page && shadow[place + first] == start[first]) first++;
        while (last > first && shadow[place + last - 1] == start[last - 1]) last--;
        if (first < last) {
            memcpy(shadow + place + first, start + first, last - first);
            note('w', area->file, place + first, start + first, last - first);
        }
    }
    leave();
}

#if defined(__x86_64__)
// A page of the journal is read-only, so a store into it faults. The handler counts a point, makes the page writable, and
// lets the processor run a single instruction, after which the page is read-only again.
// One instruction may write to two pages.
static __thread uint8_t *stepping[2] __attribute__((tls_model("initial-exec")));
static __thread struct area *stepping_in __attribute__((tls_model("initial-exec")));
enum { trap_flag = 0x100 };

static void on_fault(int signal, siginfo_t *info, void *context) {
    uint8_t *at = info->si_addr;
    for (int index = 0; index < areas; index++) {
        struct area *area = &mapped[index];
        if (!area->start || at < area->start || at >= area->start + area->count) continue;
        uint8_t *start = (uint8_t *)((uintptr_t)at & ~(uintptr_t)(page - 1));
        if (!stepping[0]) point();
        stepping[stepping[0] && stepping[0] != start] = start;
        stepping_in = area;
        syscall(SYS_mprotect, start, page, PROT_READ | PROT_WRITE);
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= trap_flag;
        return;
    }
    struct sigaction standard = { .sa_handler = SIG_DFL };
    sigaction(signal, &standard, NULL);
}

static void on_step(int signal, siginfo_t *info, void *context) {
    (void)info;
    if (!stepping[0]) {
        struct sigaction standard = { .sa_handler = SIG_DFL };
        sigaction(signal, &standard, NULL);
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
        return;
    }
    for (int index = 0; index < 2 && stepping[index]; index++) {
        note_page(stepping_in, stepping[index]);
        syscall(SYS_mprotect, stepping[index], page, PROT_READ);
        stepping[index] = NULL;
    }
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(long long)trap_flag;
}

static void step_through(void *start, size_t count) {
    static atomic_int installed;
    if (!atomic_exchange(&installed, 1)) {
        struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
        struct sigaction step = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK };
        sigaction(SIGSEGV, &fault, NULL);
        sigaction(SIGTRAP, &step, NULL);
    }
    syscall(SYS_mprotect, start, count, PROT_READ);
}
#else
static void step_through(void *start, size_t count) { (void)start; (void)count; }
#endif

EXPORT void *mmap64(void *start, size_t count, int protection, int flags, int descriptor, off_t offset) {
    int file = flags & MAP_ANONYMOUS ? 0 : file_of(descriptor);
    if (!file || !(protection & PROT_WRITE))
        return (void *)syscall(SYS_mmap, start, count, protection, flags, descriptor, offset);
    point();
    if (fails("map", file) && fail_errno) { errno = fail_errno; return MAP_FAILED; }
    void *result = (void *)syscall(SYS_mmap, start, count, protection, flags, descriptor, offset);
    const char *name = suffix(file);
    if (result != MAP_FAILED && !strcmp(name, "-ahead") && getenv("FAULT_STORES")) {
        enter();
        size_t whole = (offset + count + page - 1) / page * page;
        if (whole > shadow_count) {
            uint8_t *bigger = (void *)syscall(SYS_mmap, NULL, whole, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (shadow) memcpy(bigger, shadow, shadow_count);
            shadow = bigger;
            shadow_count = whole;
        }
        int index = 0;
        while (index < areas - 1 && mapped[index].start) index++;
        mapped[index] = (struct area){ result, count, offset, file };
        leave();
        step_through(result, count);
    }
    point();
    return result;
}
EXPORT void *mmap(void *start, size_t count, int protection, int flags, int descriptor, off_t offset)
    __attribute__((alias("mmap64")));

EXPORT int munmap(void *start, size_t count) {
    for (int index = 0; index < areas; index++)
        if (mapped[index].start == start && start) mapped[index].start = NULL;
    return syscall(SYS_munmap, start, count);
}

EXPORT int msync(void *start, size_t count, int flags) {
    for (int index = 0; index < areas; index++) {
        struct area *area = &mapped[index];
        if (!area->start || (uint8_t *)start < area->start || (uint8_t *)start >= area->start + area->count) continue;
        uint64_t from = area->offset + ((uint8_t *)start - area->start);
        uint64_t bytes = count;
        CHANGE("sync", area->file, 'm', from, &bytes, 8, syscall(SYS_msync, start, count, flags));
    }
    read_settings();
    // Not a point of its own: it only fails.
    if (wanted && !getenv("FAULT_STORES")) CHANGE("sync", 0, 'm', 0, NULL, 0, syscall(SYS_msync, start, count, flags));
    return syscall(SYS_msync, start, count, flags);
}

// MARK: The end

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("FAULT_COUNT");
    if (!path) return;
    int descriptor = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char line[128];
    int count = snprintf(line, sizeof line, "%ld %ld %ld %ld\n", calls, points, failures, returned_before);
    syscall(SYS_write, descriptor, line, count);
    size_t length = trace_length < sizeof trace ? trace_length : sizeof trace;
    syscall(SYS_write, descriptor, trace, length);
    syscall(SYS_close, descriptor);
}
