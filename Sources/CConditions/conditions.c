// An executable's definition of a function takes the place of the C library's, for shared libraries, too. Those below call
// the C library's own unless the thread runs a reducer under conditions; see dlsym(3), RTLD_NEXT.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CConditions.h"

#include <locale.h>

#ifdef __linux__
#include <features.h>
#elif defined(__APPLE__)
#include <xlocale.h>
#endif

bool hindsight_has_locale(const char *name) {
    locale_t locale = newlocale(LC_ALL_MASK, name, (locale_t)0);
    if (!locale) return false;
    freelocale(locale);
    return true;
}

#if defined(__linux__) && defined(__GLIBC__)

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static hindsight_conditions conditions;
/// Whether a descriptor gives random numbers. A library may keep one open.
static atomic_bool is_urandom[1024];
static const int most = sizeof is_urandom / sizeof *is_urandom;

static _Thread_local bool is_on;
static _Thread_local int64_t now;
/// The readings of a clock in this step.
static _Thread_local int64_t readings;
static _Thread_local uint64_t random_state;

/// SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014.
static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

bool hindsight_conditions_are_possible(void) { return true; }

void hindsight_conditions_set(hindsight_conditions new_conditions) { conditions = new_conditions; }

void hindsight_conditions_begin(int64_t time, uint64_t step) {
    now = time + conditions.clock_shift;
    readings = 0;
    random_state = mix(conditions.random_seed + mix(step));
    is_on = true;
}

void hindsight_conditions_end(void) { is_on = false; }

// The functions below, found before any of them is likely to run in a signal handler, where dlsym is not safe.
#define ALL(X)                                                                                                             \
    X(clock_gettime) X(time) X(gettimeofday) X(clock) X(timespec_get)                                                      \
    X(getrandom) X(getentropy) X(syscall)                                                                                  \
    X(arc4random) X(arc4random_buf) X(arc4random_uniform) X(read) X(close)                                                 \
    X(open) X(open64) X(openat) X(openat64) X(fopen) X(fopen64) X(stat) X(lstat) X(stat64) X(lstat64)                      \
    X(fstatat) X(faccessat) X(access) X(opendir)

// Older versions of glibc do not have them.
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t count);
uint32_t arc4random_uniform(uint32_t bound);

#define DECLARE(name) static __typeof__(name) *real_##name;
ALL(DECLARE)
#define FIND(name) real_##name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);
__attribute__((constructor)) static void find_all(void) { ALL(FIND) }

// Another constructor may call one before.
#define REAL(name)                                                                                                         \
    if (!real_##name) FIND(name)                                                                                           \
    __typeof__(name) *real = real_##name

// MARK: Clocks

/// A reducer that waits for a time must not wait for ever, so after some readings the clock goes on by a millisecond each.
static int64_t read_clock(void) {
    int64_t step = conditions.clock_step;
    if (++readings > 64) step += 1000000;
    return now += step;
}

static const int64_t second = 1000000000;

/// The seconds since 1970, and the nanoseconds of the second, which are not negative.
static struct timespec parts(int64_t value) {
    int64_t seconds = value / second - (value % second < 0);
    return (struct timespec){.tv_sec = seconds, .tv_nsec = value - seconds * second};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(clock_gettime);
    if (!is_on) return real(clock, time);
    int64_t value = read_clock();
    // The start of the other clocks is not defined.
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE && clock != CLOCK_TAI) value &= (1ll << 50) - 1;
    *time = parts(value);
    return 0;
}

time_t time(time_t *result) {
    REAL(time);
    if (!is_on) return real(result);
    time_t value = parts(read_clock()).tv_sec;
    if (result) *result = value;
    return value;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    REAL(gettimeofday);
    if (!is_on) return real(time, zone);
    struct timespec value = parts(read_clock());
    time->tv_sec = value.tv_sec;
    time->tv_usec = value.tv_nsec / 1000;
    return 0;
}

int timespec_get(struct timespec *time, int base) {
    REAL(timespec_get);
    if (!is_on || base != TIME_UTC) return real(time, base);
    *time = parts(read_clock());
    return base;
}

clock_t clock(void) {
    REAL(clock);
    return is_on ? (clock_t)(read_clock() & ((1ll << 50) - 1)) / 1000 : real();
}

// MARK: Random numbers

static void fill(void *buffer, size_t count) {
    unsigned char *bytes = buffer;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t value = mix(random_state += 0x9E3779B97F4A7C15);
        memcpy(bytes + i, &value, count - i < 8 ? count - i : 8);
    }
}

ssize_t getrandom(void *buffer, size_t count, unsigned flags) {
    REAL(getrandom);
    if (!is_on) return real(buffer, count, flags);
    fill(buffer, count);
    return (ssize_t)count;
}

int getentropy(void *buffer, size_t count) {
    REAL(getentropy);
    if (!is_on) return real(buffer, count);
    fill(buffer, count);
    return 0;
}

/// Swift's standard library asks for random numbers by their system call.
long syscall(long number, ...) {
    REAL(syscall);
    long values[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) values[i] = va_arg(list, long);
    va_end(list);
    if (is_on && number == SYS_getrandom) {
        fill((void *)values[0], (size_t)values[1]);
        return values[1];
    }
    return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

// rand, random and drand48 give the same numbers in each process, so they stay.

uint32_t arc4random(void) {
    REAL(arc4random);
    if (!is_on) return real();
    uint32_t value;
    fill(&value, sizeof value);
    return value;
}

void arc4random_buf(void *buffer, size_t count) {
    REAL(arc4random_buf);
    if (!is_on) return real(buffer, count);
    fill(buffer, count);
}

uint32_t arc4random_uniform(uint32_t bound) {
    REAL(arc4random_uniform);
    if (!is_on) return real(bound);
    uint32_t value;
    fill(&value, sizeof value);
    return bound < 2 ? 0 : value % bound;
}

ssize_t read(int descriptor, void *buffer, size_t count) {
    REAL(read);
    if (!is_on || descriptor < 0 || descriptor >= most || !is_urandom[descriptor]) return real(descriptor, buffer, count);
    fill(buffer, count);
    return (ssize_t)count;
}

int close(int descriptor) {
    REAL(close);
    if (descriptor >= 0 && descriptor < most) is_urandom[descriptor] = false;
    return real(descriptor);
}

// MARK: Files

static bool is_hidden(const char *path) {
    if (!is_on || !conditions.hides_files || !path) return false;
    static const char *const system[] = {"/usr", "/etc", "/lib", "/lib64", "/lib32", "/opt", "/dev", "/proc", "/sys"};
    for (size_t i = 0; i < sizeof system / sizeof *system; i++) {
        size_t length = strlen(system[i]);
        if (strncmp(path, system[i], length) == 0 && (path[length] == '/' || path[length] == 0)) return false;
    }
    return strcmp(path, "/") != 0;
}

static int missing(void) {
    errno = ENOENT;
    return -1;
}

/// Remembers a descriptor that gives random numbers.
static int opened(const char *path, int descriptor) {
    if (descriptor >= 0 && descriptor < most && path) {
        is_urandom[descriptor] = strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
    }
    return descriptor;
}

#define OPEN(name)                                                                                                         \
    int name(const char *path, int flags, ...) {                                                                           \
        REAL(name);                                                                                                        \
        va_list list;                                                                                                      \
        va_start(list, flags);                                                                                             \
        mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;                      \
        va_end(list);                                                                                                      \
        return is_hidden(path) ? missing() : opened(path, real(path, flags, mode));                                       \
    }

OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                       \
    int name(int folder, const char *path, int flags, ...) {                                                               \
        REAL(name);                                                                                                        \
        va_list list;                                                                                                      \
        va_start(list, flags);                                                                                             \
        mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;                      \
        va_end(list);                                                                                                      \
        return is_hidden(path) ? missing() : opened(path, real(folder, path, flags, mode));                               \
    }

OPENAT(openat)
OPENAT(openat64)

#define ONE_PATH(result, failure, name, second_type)                                                                       \
    result name(const char *restrict path, second_type restrict other) {                                                   \
        REAL(name);                                                                                                        \
        return is_hidden(path) ? (missing(), failure) : real(path, other);                                                 \
    }

ONE_PATH(FILE *, NULL, fopen, const char *)
ONE_PATH(FILE *, NULL, fopen64, const char *)
ONE_PATH(int, -1, stat, struct stat *)
ONE_PATH(int, -1, lstat, struct stat *)
ONE_PATH(int, -1, stat64, struct stat64 *)
ONE_PATH(int, -1, lstat64, struct stat64 *)

int fstatat(int folder, const char *restrict path, struct stat *restrict result, int flags) {
    REAL(fstatat);
    return is_hidden(path) ? missing() : real(folder, path, result, flags);
}

int faccessat(int folder, const char *path, int mode, int flags) {
    REAL(faccessat);
    return is_hidden(path) ? missing() : real(folder, path, mode, flags);
}

int access(const char *path, int mode) {
    REAL(access);
    return is_hidden(path) ? missing() : real(path, mode);
}

DIR *opendir(const char *path) {
    REAL(opendir);
    return is_hidden(path) ? (missing(), NULL) : real(path);
}

#else

bool hindsight_conditions_are_possible(void) { return false; }
void hindsight_conditions_set(hindsight_conditions conditions) { (void)conditions; }
void hindsight_conditions_begin(int64_t time, uint64_t step) { (void)time, (void)step; }
void hindsight_conditions_end(void) {}

#endif
