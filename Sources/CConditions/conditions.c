// An executable's definition of a function takes the place of the C library's, for shared libraries, too. Those below call
// the C library's own unless the thread runs a reducer under conditions; see dlsym(3), RTLD_NEXT.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CConditions.h"

#ifdef __linux__
#include <features.h>
#endif

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
static _Thread_local uint64_t random_state;

bool hindsight_conditions_are_possible(void) { return true; }

void hindsight_conditions_set(hindsight_conditions new_conditions) { conditions = new_conditions; }

void hindsight_conditions_begin(int64_t time, uint64_t step) {
    now = time + conditions.clock_shift;
    random_state = conditions.random_seed ^ (step * 0x9E3779B97F4A7C15);
    is_on = true;
}

void hindsight_conditions_end(void) { is_on = false; }

#define REAL(name)                                                                                                         \
    static __typeof__(name) *_Atomic real;                                                                                 \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// MARK: Clocks

static int64_t read_clock(void) { return now += conditions.clock_step; }

static const int64_t second = 1000000000;

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(clock_gettime);
    if (!is_on) return real(clock, time);
    int64_t value = read_clock();
    // Other clocks count from a start that nobody knows.
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE && clock != CLOCK_TAI) value &= (1ll << 50) - 1;
    time->tv_sec = value / second;
    time->tv_nsec = value % second;
    return 0;
}

time_t time(time_t *result) {
    REAL(time);
    if (!is_on) return real(result);
    time_t value = read_clock() / second;
    if (result) *result = value;
    return value;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    REAL(gettimeofday);
    if (!is_on) return real(time, zone);
    int64_t value = read_clock();
    time->tv_sec = value / second;
    time->tv_usec = value % second / 1000;
    return 0;
}

// MARK: Random numbers

/// SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014.
static void fill(void *buffer, size_t count) {
    unsigned char *bytes = buffer;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t value = random_state += 0x9E3779B97F4A7C15;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        value ^= value >> 31;
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

#define RANDOM(type, name, expression)                                                                                     \
    type name(void) {                                                                                                      \
        REAL(name);                                                                                                        \
        if (!is_on) return real();                                                                                         \
        uint64_t value;                                                                                                    \
        fill(&value, sizeof value);                                                                                        \
        return expression;                                                                                                 \
    }

RANDOM(int, rand, (int)(value >> 33))
RANDOM(long, random, (long)(value >> 33))
RANDOM(double, drand48, (double)(value >> 11) * 0x1p-53)

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
    static const char *const system[] = {"/usr/", "/etc/", "/lib", "/opt/", "/dev/", "/proc/", "/sys/"};
    for (size_t i = 0; i < sizeof system / sizeof *system; i++) {
        if (strncmp(path, system[i], strlen(system[i])) == 0) return false;
    }
    return true;
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
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                            \
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
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                            \
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
