// Pauses around operations on mutexes, condition variables, semaphores and futexes.
#define _GNU_SOURCE
#include "nap.h"

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

// The symbol version of the functions for condition variables. Without it, dlsym may find older
// functions that use a different layout. Other architectures have only one version.
#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#else
#define CONDITION_VERSION NULL
#endif

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    nap_maybe(NAP_MUTEX);
    int result = NAP_NEXT(pthread_mutex_lock)(mutex);
    nap_maybe(NAP_MUTEX);
    return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    int result = NAP_NEXT(pthread_mutex_trylock)(mutex);
    nap_maybe(NAP_MUTEX);
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    nap_maybe(NAP_MUTEX);
    int result = NAP_NEXT(pthread_mutex_unlock)(mutex);
    nap_maybe(NAP_MUTEX);
    return result;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    nap_maybe(NAP_WAKE);
    int result = NAP_NEXT_VERSION(pthread_cond_wait, CONDITION_VERSION)(condition, mutex);
    nap_maybe(NAP_WAKE);
    return result;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *deadline) {
    nap_maybe(NAP_WAKE);
    int result =
        NAP_NEXT_VERSION(pthread_cond_timedwait, CONDITION_VERSION)(condition, mutex, deadline);
    nap_maybe(NAP_WAKE);
    return result;
}

int pthread_cond_signal(pthread_cond_t *condition) {
    nap_maybe(NAP_WAKE);
    int result = NAP_NEXT_VERSION(pthread_cond_signal, CONDITION_VERSION)(condition);
    nap_maybe(NAP_WAKE);
    return result;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    nap_maybe(NAP_WAKE);
    int result = NAP_NEXT_VERSION(pthread_cond_broadcast, CONDITION_VERSION)(condition);
    nap_maybe(NAP_WAKE);
    return result;
}

int sem_wait(sem_t *semaphore) {
    nap_maybe(NAP_WAKE);
    int result = NAP_NEXT(sem_wait)(semaphore);
    nap_maybe(NAP_WAKE);
    return result;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
    nap_maybe(NAP_WAKE);
    int result = NAP_NEXT(sem_timedwait)(semaphore, deadline);
    nap_maybe(NAP_WAKE);
    return result;
}

int sem_post(sem_t *semaphore) {
    nap_maybe(NAP_WAKE);
    int result = NAP_NEXT(sem_post)(semaphore);
    nap_maybe(NAP_WAKE);
    return result;
}

// Dispatch and the Swift runtime make futex system calls through this function.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long argument[6];
    for (int each = 0; each < 6; each++) argument[each] = va_arg(list, long);
    va_end(list);
    int is_futex = number == SYS_futex;
    if (is_futex) nap_maybe(NAP_WAKE);
    long result = NAP_NEXT(syscall)(number, argument[0], argument[1], argument[2], argument[3],
                                    argument[4], argument[5]);
    if (is_futex) nap_maybe(NAP_WAKE);
    return result;
}
