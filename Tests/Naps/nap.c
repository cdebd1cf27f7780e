// Decides when a thread pauses, and for how long.
#define _GNU_SOURCE
#include "nap.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// The mean number of points of each kind between two pauses at rate 1.
static const uint32_t mean_gaps[NAP_POINT_COUNT] = {
    [NAP_MUTEX] = 2000, [NAP_CLOCK] = 1000, [NAP_WAKE] = 30,   [NAP_FILE] = 60,
    [NAP_FILE_LOCK] = 60, [NAP_DISPATCH] = 15, [NAP_THREAD] = 8,
};

static const char *const point_names[NAP_POINT_COUNT] = {
    "mutexes", "clock", "wake-ups", "files", "file locks", "dispatch", "threads",
};

// The constructor sets these variables before it sets `is_active`. They do not change afterward.
static uint64_t seed;
static double rate = 1;
static uint64_t shortest = 5000;
static uint64_t longest = 30000000;
/// The maximum share of its time that a thread pauses at frequent kinds of points, and separately
/// at other kinds. Frequent kinds must not exhaust the share of other kinds.
static double share = 0.15;
static int is_active;

// Counts for the report, and the number of threads that have reached a point.
static uint64_t thread_count;
static uint64_t nap_counts[NAP_POINT_COUNT];
static uint64_t nap_nanoseconds;

/// The state of a thread. The initial-exec model avoids an allocation at the first access.
static __thread __attribute__((tls_model("initial-exec"))) struct {
    uint64_t random;
    uint64_t begin;
    uint64_t slept[2];
    int32_t countdown[NAP_POINT_COUNT];
    int is_seeded;
    int is_inside;
} thread;

/// SplitMix64.
static uint64_t next_random(void) {
    uint64_t mixed = thread.random += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/// Returns a length between `shortest` and `longest`, distributed evenly on a logarithmic scale.
static uint64_t random_length(void) {
    uint64_t octaves = 0;
    while (shortest << (octaves + 1) <= longest) octaves++;
    uint64_t base = shortest << next_random() % (octaves + 1);
    uint64_t length = base + next_random() % base;
    return length < longest ? length : longest;
}

static int32_t random_gap(enum nap_point point) {
    uint64_t mean = (uint64_t)(mean_gaps[point] / rate);
    return (int32_t)(1 + next_random() % (2 * mean + 1));
}

static void sleep_within_share(enum nap_point point) {
    uint64_t length = random_length();
    uint64_t *slept = &thread.slept[point == NAP_MUTEX || point == NAP_CLOCK];
    // A thread may pause once before it has run for long.
    if (*slept + length > longest + (uint64_t)(share * (double)(now() - thread.begin))) return;
    *slept += length;
    __atomic_add_fetch(&nap_counts[point], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&nap_nanoseconds, length, __ATOMIC_RELAXED);
    struct timespec time = {(time_t)(length / 1000000000), (long)(length % 1000000000)};
    // A signal may end the pause early, which is harmless.
    nanosleep(&time, NULL);
}

static void __attribute__((noinline)) nap_slowly(enum nap_point point) {
    int error = errno;
    thread.is_inside = 1;
    if (thread.is_seeded) {
        sleep_within_share(point);
        thread.countdown[point] = random_gap(point);
    } else {
        thread.random = seed + 0xD1342543DE82EF95 * __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
        thread.begin = now();
        for (int each = 0; each < NAP_POINT_COUNT; each++) thread.countdown[each] = random_gap(each);
        thread.is_seeded = 1;
    }
    thread.is_inside = 0;
    errno = error;
}

void nap_maybe(enum nap_point point) {
    if (!__atomic_load_n(&is_active, __ATOMIC_ACQUIRE) || thread.is_inside) return;
    if (--thread.countdown[point] <= 0) nap_slowly(point);
}

void *nap_next(const char *name, const char *version) {
    int was_inside = thread.is_inside;
    thread.is_inside = 1;
    void *function = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    if (!function) function = dlsym(RTLD_NEXT, name);
    thread.is_inside = was_inside;
    if (!function) {
        static const char message[] = "naps: a function to replace does not exist\n";
        (void)!write(STDERR_FILENO, message, sizeof message - 1);
        abort();
    }
    return function;
}

static double number(const char *name, double standard) {
    const char *text = getenv(name);
    return text && *text ? strtod(text, NULL) : standard;
}

/// Returns whether the name of this process's program ends with `suffix`.
static int has_suffix(const char *suffix) {
    size_t length = strlen(program_invocation_name), end = strlen(suffix);
    return length >= end && strcmp(program_invocation_name + length - end, suffix) == 0;
}

static void __attribute__((constructor)) begin(void) {
    const char *text = getenv("NAPS_SEED");
    if (!text || !*text) return;
    const char *suffix = getenv("NAPS_PROGRAM");
    if (!has_suffix(suffix ? suffix : ".xctest")) return;
    // A child process may run a program of the same name, such as the child of an exit test.
    char process[24];
    snprintf(process, sizeof process, "%ld", (long)getpid());
    const char *owner = getenv("NAPS_PROCESS");
    if (owner && strcmp(owner, process) != 0 && number("NAPS_CHILDREN", 0) == 0) return;
    setenv("NAPS_PROCESS", process, 1);
    seed = strtoull(text, NULL, 0);
    rate = number("NAPS_RATE", rate);
    share = number("NAPS_SHARE", share);
    longest = (uint64_t)(number("NAPS_LONGEST", (double)longest / 1000) * 1000);
    if (longest < shortest) longest = shortest;
    if (rate > 0) __atomic_store_n(&is_active, 1, __ATOMIC_RELEASE);
}

static void __attribute__((destructor)) end(void) {
    if (!__atomic_exchange_n(&is_active, 0, __ATOMIC_ACQ_REL)) return;
    fprintf(stderr, "naps: seed %llu, %llu threads paused for %.1f s:", (unsigned long long)seed,
            (unsigned long long)thread_count, (double)nap_nanoseconds / 1e9);
    for (int each = 0; each < NAP_POINT_COUNT; each++) {
        fprintf(stderr, "%s %llu at %s", each ? "," : "", (unsigned long long)nap_counts[each],
                point_names[each]);
    }
    fprintf(stderr, "\n");
}
