// The programs that the kernel runs at the probes on SQLite's functions.
//
// Each execution of a statement passes two probed functions: sqlite3_step, at its entry and at its
// return, and, if the program does not step to the end, sqlite3_reset or sqlite3_finalize. A hit
// costs the thread 0.5 to 1 µs, whatever its program does, so no other function is probed for each
// execution: the call that returns SQLITE_DONE or an error ends it, and statements run by
// sqlite3_exec are seen through the steps that it makes.
//
// The loader replaces the undefined symbols: M_… by map descriptors, K_… by constants of the
// library. `.ci/probe-programs` compiles this file and writes ProbePrograms.swift.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#define PROGRAM(name) __attribute__((section("p/" #name), used)) int name
#define inlined static inline __attribute__((always_inline))
#define HELPER(number, type, name, ...) static type (*const name)(__VA_ARGS__) = (void *)number
HELPER(1, void *, map_lookup, void *, const void *);
HELPER(2, long, map_update, void *, const void *, const void *, u64);
HELPER(3, long, map_delete, void *, const void *);
HELPER(5, u64, now, void);
HELPER(14, u64, process_and_thread, void);
HELPER(112, long, read_user, void *, u32, u64);
HELPER(114, long, read_text, void *, u32, u64);
HELPER(131, void *, reserve, void *, u64, u64);
HELPER(132, void, submit, void *, u64);
HELPER(133, void, discard, void *, u64);
HELPER(173, u64, function_address, void *);
HELPER(174, u64, attach_cookie, void *);

#if defined(PROCESSOR_x86_64)
struct registers {
    u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig, ip, cs,
        flags, sp;
};
#define ARGUMENT(r) (r)->rdi
#define RESULT(r) (s32)(r)->rax
#define POINTER(r) (r)->ip
inlined u64 caller(struct registers *r) {
    u64 address = 0;
    read_user(&address, sizeof address, r->sp);
    return address;
}
#elif defined(PROCESSOR_arm64)
struct registers {
    u64 x[31], sp, pc, state;
};
#define ARGUMENT(r) (r)->x[0]
#define RESULT(r) (s32)(r)->x[0]
#define POINTER(r) (r)->pc
inlined u64 caller(struct registers *r) { return r->x[30]; }
#endif

// Weak symbols may be 0, so the compiler keeps comparisons with 0.
#define SYMBOL extern char __attribute__((weak))
SYMBOL M_RING, M_THREADS, M_NEW_THREAD, M_STATEMENTS, M_FILES, M_PROCESSES;
SYMBOL K_LIBRARY, K_CONNECTION, K_COUNTER, K_RESULT, K_SQL, K_STEPS, K_AUTOCOMMIT, K_FILE0,
    K_FILE1, K_FILE2, K_FILE3, K_FILE4, K_BUSY_CALLS, K_BUSY_TIMEOUT, K_LOW, K_HIGH, K_RETURNS, K_VALUES,
    K_COUNTERS, K_VALUE_ARRAY, K_VALUE_COUNT, K_VALUE_STRIDE, K_VALUE_FLAGS, K_VALUE_LENGTH, K_VALUE_POINTER;
#define K(name) ((u64)&K_##name)

enum { EXECUTION = 1, TEXT, FILE, VALUES, CLOSE, FORK, EXEC };
enum { STEP = 0, RESET };
enum { PARTIAL = 1, HAS_STEPS = 2, HAS_TEXT = 4, HAS_WAIT = 8, NO_SQL = 16 };
enum { ROW = 100, CHUNK = 240, CHUNKS = 273, FRAMES = 4, HEAD = 64, WINDOW = 288 };
enum { VALUE_COUNT = 8, VALUE_TEXT = 64, COUNTERS = 8 };

struct header {
    u64 time;
    u32 process, thread;
    u8 kind, source, flags, library;
    u32 length;
    u64 statement, connection;
};
struct execution_record {
    struct header header;
    u64 sql, start, inside, between, last_end, rows;
    u32 step_count, instructions, earlier_instructions;
    s32 result;
    s32 busy_calls, busy_timeout;
    u8 autocommit, pad[7];
    u32 counters[COUNTERS];
    u32 inner_hits, inner_returns;
};
struct text_record {
    struct header header;
    char text[CHUNK];
};
struct value {
    u64 number;
    u16 flags;
    // `encoding` follows the flags in SQLite's values, too.
    u8 encoding, subtype;
    u32 length;
    char text[VALUE_TEXT];
};
struct values_record {
    struct header header;
    struct value values[VALUE_COUNT];
};
// `hits` and `returns` are those of the thread at the start of the step.
struct frame {
    u64 statement, connection, start;
    u32 hits, returns;
};
// `hits` and `returns` count the traps of the thread, whatever their programs did, and `ends` the
// executions. `bytes` are those of the statement, because a program's stack has only 512 bytes.
struct thread {
    u64 hits, returns, ends;
    u32 process;
    u8 depth, verified, pad[2];
    struct frame frames[FRAMES];
    u8 bytes[WINDOW];
};
struct key {
    u64 process, address;
};
// `sql` is 0 before the text was sent. `runs` and `instructions` are those of the last execution.
// `inner_hits` and `inner_returns` count the traps inside its steps.
struct statement {
    u64 sql, start, last_end, inside, between, rows, connection;
    u32 runs, instructions, step_count;
    u8 is_open, is_partial, pad[2];
    u32 inner_hits, inner_returns;
};
// `lost` counts the executions whose records did not fit, and `nested` those inside others.
struct process {
    u64 lost, nested;
};

inlined void add(u64 *counter) { __sync_fetch_and_add(counter, 1); }

inlined void lose(u32 process) {
    struct process *counts = map_lookup(&M_PROCESSES, &process);
    if (counts) add(&counts->lost);
}

// Returns the state of the current thread, and 0 if the process is not attached or has too many
// threads.
inlined struct thread *current(u32 process, u32 thread) {
    struct thread *state = map_lookup(&M_THREADS, &thread);
    if (state && state->process == process) return state;
    if (!map_lookup(&M_PROCESSES, &process)) return 0;
    u32 zero = 0;
    void *new = map_lookup(&M_NEW_THREAD, &zero);
    if (!new || map_update(&M_THREADS, &thread, new, 0)) {
        lose(process);
        return 0;
    }
    state = map_lookup(&M_THREADS, &thread);
    if (state) state->process = process;
    return state;
}

// A thread may be inside a step that began before the probes were set. Calls that SQLite makes
// itself are therefore ignored until the program calls SQLite.
inlined int is_verified(struct thread *state, struct registers *r) {
    if (state->verified) return 1;
    if (caller(r) - POINTER(r) - K(LOW) < K(HIGH) - K(LOW)) return 0;
    state->verified = 1;
    return 1;
}

inlined void fill(struct header *h, u64 time, u64 ids, u8 kind, u64 statement, u64 connection) {
    h->time = time;
    h->process = ids >> 32;
    h->thread = ids;
    h->kind = kind;
    h->source = h->flags = 0;
    h->library = K(LIBRARY);
    h->length = 0;
    h->statement = statement;
    h->connection = connection;
}

// Sends a text in chunks. Returns 0 if the text could not be read or sent.
inlined int send_text(u64 address, u8 kind, u64 time, u64 ids, u64 statement, u64 connection) {
    if (!address) return 0;
    for (int i = 0; i < CHUNKS; i++) {
        struct text_record *record = reserve(&M_RING, sizeof *record, 0);
        if (!record) return 0;
        fill(&record->header, time, ids, kind, statement, connection);
        long length = read_text(record->text, CHUNK, address);
        if (length < 0) {
            discard(record, 1);
            return 0;
        }
        record->header.length = length;
        // The first chunk replaces an earlier text. The last one ends with a zero byte.
        record->header.flags = i == 0;
        submit(record, 1);
        if (length < CHUNK) return 1;
        address += CHUNK - 1;
    }
    return 1;
}

inlined void send_file(u64 time, u64 ids, u64 connection) {
    struct key key = {ids >> 32, connection};
    if (map_lookup(&M_FILES, &key)) return;
    u64 address = connection;
    if (read_user(&address, 8, address + K(FILE0)) || read_user(&address, 8, address + K(FILE1)) ||
        read_user(&address, 8, address + K(FILE2)) || read_user(&address, 8, address + K(FILE3)) ||
        read_user(&address, 8, address + K(FILE4)))
        return;
    u8 one = 1;
    if (send_text(address, FILE, time, ids, 0, connection)) map_update(&M_FILES, &key, &one, 0);
}

inlined void send_values(u64 time, u64 ids, u64 statement) {
    u16 count = 0;
    u64 array = 0;
    if (read_user(&count, 2, statement + K(VALUE_COUNT)) ||
        read_user(&array, 8, statement + K(VALUE_ARRAY)) || count == 0)
        return;
    struct values_record *record = reserve(&M_RING, sizeof *record, 0);
    if (!record) return;
    fill(&record->header, time, ids, VALUES, statement, 0);
    record->header.length = count < VALUE_COUNT ? count : VALUE_COUNT;
    for (int i = 0; i < VALUE_COUNT; i++) {
        struct value *value = &record->values[i];
        u64 address = array + i * K(VALUE_STRIDE), text = 0;
        value->flags = value->encoding = value->subtype = 0;
        value->length = 0;
        value->number = 0;
        __builtin_memset(value->text, 0, VALUE_TEXT);
        if (i >= count) continue;
        if (read_user(&value->number, 8, address) ||
            read_user(&value->flags, 4, address + K(VALUE_FLAGS)) ||
            read_user(&value->length, 4, address + K(VALUE_LENGTH)) ||
            read_user(&text, 8, address + K(VALUE_POINTER)))
            continue;
        // MEM_Str. Its memory may end before the whole text is read.
        if (value->flags & 2 && read_user(value->text, VALUE_TEXT, text))
            read_text(value->text, VALUE_TEXT, text);
    }
    submit(record, 1);
}

// Sends the end of an execution, after its text and its file if they are new.
inlined void end(struct thread *thread, struct statement *state, u64 statement, u64 time, u64 ids,
                 u8 source) {
    u8 *bytes = thread->bytes;
    u64 connection = state->connection;
    state->is_open = 0;
    thread->ends++;
    if (read_user(bytes, WINDOW, statement)) return lose(ids >> 32);
    u64 sql = *(u64 *)(bytes + K(SQL));
    // SQLITE_STMTSTATUS_RUN is 6, and SQLITE_STMTSTATUS_VM_STEP is 4.
    u32 runs = *(u32 *)(bytes + K(STEPS) + 8), instructions = *(u32 *)(bytes + K(STEPS));
    s32 result = *(s32 *)(bytes + K(RESULT));
    // A new statement at a known address has run at most as often as the old one.
    int is_known = state->sql == sql && runs > state->runs;
    u32 earlier = is_known ? state->instructions : 0;
    u8 flags = is_known || runs == 1 ? HAS_STEPS : 0;
    if (!is_known) {
        send_file(time, ids, connection);
        if (!send_text(sql, TEXT, time, ids, statement, connection)) sql = 0;
    }
    if (sql) flags |= HAS_TEXT;
    // SQLite stores no text while it reads the schema.
    if (!*(u64 *)(bytes + K(SQL))) flags |= NO_SQL;
    if (K(BUSY_CALLS)) flags |= HAS_WAIT;
    if (K(VALUES)) send_values(time, ids, statement);
    struct execution_record *record = reserve(&M_RING, sizeof *record, 0);
    if (!record) {
        state->sql = 0;
        return lose(ids >> 32);
    }
    state->sql = sql;
    state->runs = runs;
    state->instructions = instructions;
    fill(&record->header, time, ids, EXECUTION, statement, connection);
    record->header.source = source;
    record->header.flags = flags | (state->is_partial ? PARTIAL : 0);
    record->sql = sql;
    record->start = state->start;
    record->inside = state->inside;
    record->between = state->between;
    record->last_end = state->last_end;
    record->rows = state->rows;
    record->step_count = state->step_count;
    record->instructions = instructions;
    record->earlier_instructions = earlier;
    record->result = result;
    record->busy_calls = record->busy_timeout = 0;
    record->autocommit = 1;
    __builtin_memset(record->pad, 0, sizeof record->pad);
    // The number of valid counters, which start at SQLITE_STMTSTATUS_FULLSCAN_STEP, 1.
    record->header.length = K(COUNTERS);
    for (int i = 0; i < COUNTERS; i++)
        record->counters[i] = *(u32 *)(bytes + K(STEPS) - 12 + 4 * i);
    record->inner_hits = state->inner_hits;
    record->inner_returns = state->inner_returns;
    read_user(&record->autocommit, 1, connection + K(AUTOCOMMIT));
    if (K(BUSY_CALLS)) {
        read_user(&record->busy_calls, 4, connection + K(BUSY_CALLS));
        if (record->busy_calls || (result & 0xff) == 5)
            read_user(&record->busy_timeout, 4, connection + K(BUSY_TIMEOUT));
    }
    submit(record, 1);
}

// The compiler must not remove the mask: Linux 6.1 does not derive the limit of `depth` from the
// comparisons before.
inlined struct frame *frame_at(struct thread *thread, u32 depth) {
    asm volatile("" : "+r"(depth));
    return &thread->frames[depth & (FRAMES - 1)];
}

inlined int enter_step(struct registers *r) {
    u64 ids = process_and_thread(), address = ARGUMENT(r);
    struct thread *thread = current(ids >> 32, ids);
    if (!thread) return 0;
    thread->hits++;
    u32 depth = thread->depth;
    // In a Go program, returns are not probed.
    if (K(RETURNS) && depth < 255) thread->depth = depth + 1;
    if (depth >= FRAMES) return 0;
    struct frame *frame = frame_at(thread, depth);
    frame->statement = 0;
    u8 *head = thread->bytes;
    if (read_user(head, HEAD, address)) return 0;
    u64 connection = *(u64 *)(head + K(CONNECTION));
    s32 counter = *(s32 *)(head + K(COUNTER));
    u32 process = ids >> 32;
    int is_nested = !is_verified(thread, r);
    // The steps of a virtual table or of a function belong to the outer statement if they use its
    // connection.
    if (depth > 0 && frame_at(thread, depth - 1)->connection == connection) is_nested = 1;
    frame->connection = connection;
    if (is_nested) {
        struct process *counts = counter < 0 ? map_lookup(&M_PROCESSES, &process) : 0;
        if (counts) add(&counts->nested);
        return 0;
    }
    struct key key = {process, address};
    struct statement *state = map_lookup(&M_STATEMENTS, &key);
    if (!state) {
        struct statement new = {};
        map_update(&M_STATEMENTS, &key, &new, 0);
        state = map_lookup(&M_STATEMENTS, &key);
        if (!state) {
            lose(process);
            return 0;
        }
    }
    u64 time = now();
    // The statement was reset without a call to a probed function, as by sqlite3_exec.
    // One that began before the probes were set may have ended without a traced step.
    if (state->is_open && counter < 0) {
        if (K(RETURNS) && !state->step_count)
            state->is_open = 0;
        else
            end(thread, state, address, state->last_end, ids, RESET);
    }
    if (state->is_open) {
        state->between += time - state->last_end;
    } else {
        // Without an earlier start, the probes were set during this execution, or the program
        // repeats a call that failed with SQLITE_BUSY.
        state->is_partial = !K(RETURNS) || (counter >= 0 && !state->sql);
        state->is_open = 1;
        state->start = state->last_end = time;
        state->inside = state->between = state->rows = 0;
        state->step_count = state->inner_hits = state->inner_returns = 0;
        state->connection = connection;
    }
    frame->statement = address;
    frame->hits = thread->hits;
    frame->returns = thread->returns;
    frame->start = time;
    return 0;
}

inlined int leave_step(struct registers *r) {
    u64 ids = process_and_thread(), time = now();
    u32 number = ids;
    struct thread *thread = map_lookup(&M_THREADS, &number);
    if (!thread) return 0;
    u32 returns = thread->returns++;
    u32 depth = thread->depth;
    if (!depth) return 0;
    thread->depth = --depth;
    if (depth >= FRAMES) return 0;
    struct frame *frame = frame_at(thread, depth);
    struct key key = {ids >> 32, frame->statement};
    if (!key.address) return 0;
    frame->statement = 0;
    struct statement *state = map_lookup(&M_STATEMENTS, &key);
    if (!state || !state->is_open) return 0;
    state->inside += time - frame->start;
    state->last_end = time;
    state->step_count++;
    state->inner_hits += (u32)thread->hits - frame->hits;
    state->inner_returns += returns - frame->returns;
    if (RESULT(r) == ROW)
        state->rows++;
    else
        end(thread, state, key.address, time, ids, STEP);
    return 0;
}

// At sqlite3_reset, sqlite3_finalize, and sqlite3_exec, whose argument is no open statement. The call
// of sqlite3_exec shows that the thread is not inside a step.
inlined int enter_reset(struct registers *r) {
    u64 ids = process_and_thread();
    struct thread *thread = current(ids >> 32, ids);
    if (!thread) return 0;
    thread->hits++;
    is_verified(thread, r);
    struct key key = {ids >> 32, ARGUMENT(r)};
    u32 depth = thread->depth;
    // A step that prepares its statement again, because the schema has changed, also resets it.
    if (depth > 0 && depth <= FRAMES && frame_at(thread, depth - 1)->statement == key.address)
        return 0;
    struct statement *state = map_lookup(&M_STATEMENTS, &key);
    if (state && state->is_open) end(thread, state, key.address, now(), ids, RESET);
    return 0;
}

inlined int enter_close(struct registers *r) {
    u64 ids = process_and_thread();
    struct key key = {ids >> 32, ARGUMENT(r)};
    map_delete(&M_FILES, &key);
    struct header *record = reserve(&M_RING, sizeof *record, 0);
    if (!record) return 0;
    fill(record, now(), ids, CLOSE, 0, ARGUMENT(r));
    submit(record, 1);
    return 0;
}

PROGRAM(step)(struct registers *r) { return enter_step(r); }
PROGRAM(reset)(struct registers *r) { return enter_reset(r); }
PROGRAM(close)(struct registers *r) { return enter_close(r); }
PROGRAM(step_return)(struct registers *r) { return leave_step(r); }

inlined int enter(struct registers *r) {
    u64 function = attach_cookie(r);
    return function == 0 ? enter_step(r) : function == 1 ? enter_reset(r) : enter_close(r);
}
// At all functions, for links, which state the function: the kernel removes a link in 50 ms, whatever
// its number of probes.
PROGRAM(entry)(struct registers *r) { return enter(r); }
// The same for sessions, which also run it at the return of a function, unless the program returned 1
// at its entry. After a return, the instruction pointer is in the caller.
PROGRAM(session)(struct registers *r) {
    if (function_address(r) != POINTER(r)) return leave_step(r);
    enter(r);
    return attach_cookie(r) != 0;
}

inlined int send_process(u8 kind) {
    u64 ids = process_and_thread();
    struct header *record = reserve(&M_RING, sizeof *record, 0);
    if (!record) return 0;
    fill(record, now(), ids, kind, 0, 0);
    submit(record, 1);
    return 0;
}

// Raw tracepoints. task_newtask has the arguments `task` and `clone_flags`.
PROGRAM(newtask)(u64 *arguments) {
    u32 process = process_and_thread() >> 32;
    // CLONE_THREAD
    if (arguments[1] & 0x10000 || !map_lookup(&M_PROCESSES, &process)) return 0;
    return send_process(FORK);
}
PROGRAM(new_program)(void *arguments) { return send_process(EXEC); }
PROGRAM(thread_exit)(void *arguments) {
    u32 thread = process_and_thread();
    map_delete(&M_THREADS, &thread);
    return 0;
}
