#ifndef POOLGAUGE_TRACE_AGENT_H
#define POOLGAUGE_TRACE_AGENT_H

#include <stdint.h>

// The memory in which programs store records for Poolgauge, which creates it. All programs that one
// command started write to the same memory, and nothing in it can be trusted. A writer never waits:
// the oldest records are overwritten, and the reader counts those that it missed.

/// The name of the memory, in which the last characters state the version of its layout.
#define POOLGAUGE_RING_NAME "poolgauge-trace-1"
/// The environment variable with the process and the descriptor of the memory, as in `1234:200`.
#define POOLGAUGE_RING_VARIABLE "POOLGAUGE_TRACE"

enum {
    POOLGAUGE_RING_SLOTS = 8192,
    POOLGAUGE_RING_SLOT_SIZE = 192,
    POOLGAUGE_RING_HEAD_SIZE = 4096,
    /// The size of a record, which `ProbeRecord` describes.
    POOLGAUGE_RECORD_SIZE = 176,
    /// The time without a reader after which programs stop storing records, in seconds.
    POOLGAUGE_READER_SECONDS = 10,
};

struct poolgauge_ring_slot {
    /// The number of the record, from 1, after the record is complete.
    uint64_t number;
    /// A checksum of the record, because a program may be stopped while it stores one.
    uint64_t sum;
    uint64_t record[POOLGAUGE_RECORD_SIZE / 8];
};

struct poolgauge_ring {
    /// The number of records that programs have started to store.
    uint64_t head;
    /// The number of executions that were not stored because there was no reader.
    uint64_t unread;
    /// The number of executions inside a step of another statement.
    uint64_t nested;
    /// The time at which a reader last read records, in nanoseconds of `CLOCK_MONOTONIC`.
    uint64_t reader;
    /// A number that each new reader increments. Programs then send texts and files again.
    uint64_t epoch;
    /// The time at which a reader last requested the values of parameters.
    uint64_t valueReader;
    uint8_t unused[POOLGAUGE_RING_HEAD_SIZE - 48];
    struct poolgauge_ring_slot slots[POOLGAUGE_RING_SLOTS];
};

/// Returns the checksum of a record.
static inline uint64_t poolgauge_record_sum(const uint64_t *record) {
    uint64_t sum = 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < POOLGAUGE_RECORD_SIZE / 8; i++) sum += record[i] * (2 * i + 3);
    return sum;
}

/// Makes programs send their texts and files again, for a new reader.
static inline void poolgauge_ring_add_reader(void *memory) {
    __atomic_fetch_add(&((struct poolgauge_ring *)memory)->epoch, 1, __ATOMIC_RELAXED);
}

/// Requests the values of parameters.
static inline void poolgauge_ring_note_value_reader(void *memory, uint64_t time) {
    __atomic_store_n(&((struct poolgauge_ring *)memory)->valueReader, time, __ATOMIC_RELAXED);
}

/// Notes that a reader reads records.
static inline void poolgauge_ring_note_reader(void *memory, uint64_t time) {
    __atomic_store_n(&((struct poolgauge_ring *)memory)->reader, time, __ATOMIC_RELAXED);
}

/// Copies a record.
///
/// Returns 1 if the copy is complete, 0 if the record is not complete, and -1 if it was overwritten
/// or is damaged.
static inline int poolgauge_ring_copy(const void *memory, uint64_t position, void *copy) {
    const struct poolgauge_ring *ring = (const struct poolgauge_ring *)memory;
    const struct poolgauge_ring_slot *slot = &ring->slots[position % POOLGAUGE_RING_SLOTS];
    uint64_t number = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
    if (number != position + 1) return number > position + 1 ? -1 : 0;
    uint64_t *record = (uint64_t *)copy;
    for (unsigned i = 0; i < POOLGAUGE_RECORD_SIZE / 8; i++)
        record[i] = __atomic_load_n(&slot->record[i], __ATOMIC_RELAXED);
    uint64_t sum = __atomic_load_n(&slot->sum, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&slot->number, __ATOMIC_RELAXED) != number) return -1;
    return sum == poolgauge_record_sum(record) ? 1 : -1;
}

#endif
