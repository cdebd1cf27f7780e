// Pauses around the creation of threads, the clock, and Dispatch's queues and semaphores.
#define _GNU_SOURCE
#include "nap.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/// The function that a new thread runs after its first pause.
struct start {
    void *(*function)(void *);
    void *argument;
};

static void *run(void *context) {
    struct start start = *(struct start *)context;
    free(context);
    nap_maybe(NAP_THREAD);
    return start.function(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*function)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start) return NAP_NEXT(pthread_create)(thread, attributes, function, argument);
    *start = (struct start){function, argument};
    int result = NAP_NEXT(pthread_create)(thread, attributes, run, start);
    if (result != 0) free(start);
    nap_maybe(NAP_THREAD);
    return result;
}

int sched_yield(void) {
    int result = NAP_NEXT(sched_yield)();
    nap_maybe(NAP_CLOCK);
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = NAP_NEXT(clock_gettime)(clock, time);
    nap_maybe(NAP_CLOCK);
    return result;
}

// Not every installation contains the header of Dispatch, so this file declares the documented
// functions. Objects and blocks are pointers.
void dispatch_async(void *queue, void *block);
void dispatch_async_f(void *queue, void *context, void (*work)(void *));
void dispatch_after(uint64_t when, void *queue, void *block);
void dispatch_group_async(void *group, void *queue, void *block);
void dispatch_group_leave(void *group);
void dispatch_group_notify(void *group, void *queue, void *block);
intptr_t dispatch_semaphore_signal(void *semaphore);
intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout);

void dispatch_async(void *queue, void *block) {
    nap_maybe(NAP_DISPATCH);
    NAP_NEXT(dispatch_async)(queue, block);
    nap_maybe(NAP_DISPATCH);
}

void dispatch_async_f(void *queue, void *context, void (*work)(void *)) {
    nap_maybe(NAP_DISPATCH);
    NAP_NEXT(dispatch_async_f)(queue, context, work);
    nap_maybe(NAP_DISPATCH);
}

void dispatch_after(uint64_t when, void *queue, void *block) {
    nap_maybe(NAP_DISPATCH);
    NAP_NEXT(dispatch_after)(when, queue, block);
    nap_maybe(NAP_DISPATCH);
}

void dispatch_group_async(void *group, void *queue, void *block) {
    nap_maybe(NAP_DISPATCH);
    NAP_NEXT(dispatch_group_async)(group, queue, block);
    nap_maybe(NAP_DISPATCH);
}

void dispatch_group_leave(void *group) {
    nap_maybe(NAP_DISPATCH);
    NAP_NEXT(dispatch_group_leave)(group);
    nap_maybe(NAP_DISPATCH);
}

void dispatch_group_notify(void *group, void *queue, void *block) {
    nap_maybe(NAP_DISPATCH);
    NAP_NEXT(dispatch_group_notify)(group, queue, block);
    nap_maybe(NAP_DISPATCH);
}

intptr_t dispatch_semaphore_signal(void *semaphore) {
    nap_maybe(NAP_WAKE);
    intptr_t result = NAP_NEXT(dispatch_semaphore_signal)(semaphore);
    nap_maybe(NAP_WAKE);
    return result;
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    nap_maybe(NAP_WAKE);
    intptr_t result = NAP_NEXT(dispatch_semaphore_wait)(semaphore, timeout);
    nap_maybe(NAP_WAKE);
    return result;
}
