// What a thread reads from the system while it runs a reducer: the clock, random numbers, and files.

#ifndef HINDSIGHT_CONDITIONS_H
#define HINDSIGHT_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    /// Added to the time of an action, in nanoseconds.
    int64_t clock_shift;
    /// Added with each reading of a clock, in nanoseconds.
    int64_t clock_step;
    /// Chooses the random numbers.
    uint64_t random_seed;
    /// Whether files outside the system's folders cannot be opened or found.
    bool hides_files;
} hindsight_conditions;

/// Whether this build can replace what the system gives: on Linux with glibc.
bool hindsight_conditions_are_possible(void);

/// Sets the conditions of this process. No thread may run a reducer meanwhile.
void hindsight_conditions_set(hindsight_conditions conditions);

/// From here on, this thread gets what the conditions say.
///
/// @param time Nanoseconds since 1970.
/// @param step Chooses the random numbers together with the seed, so that a reducer that draws more of them changes only
/// its own ones.
void hindsight_conditions_begin(int64_t time, uint64_t step);

/// From here on, this thread gets what the system gives.
void hindsight_conditions_end(void);

/// Whether the system has a locale.
bool hindsight_has_locale(const char *name);

#endif
