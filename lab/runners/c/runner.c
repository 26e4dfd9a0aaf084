/*
 * The harness of the C and C++ runners: reads tasks, holds the clock, prints answers. It knows no library (see runner.h).
 */
#define _GNU_SOURCE
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef _WIN32
#include <windows.h>
#include <io.h>
#include <psapi.h>
#else
#include <sys/resource.h>
#endif

enum { LINE_BYTES_MAX = 64 * 1024 };

static const char *const DIGESTS[] = {
    "md4",      "md5",      "sha1",      "sha224",  "sha256",  "sha384",    "sha512",    "sha512-256", "sha3-224",
    "sha3-256", "sha3-384", "sha3-512",  "keccak256", "blake2b", "blake2s", "ripemd128", "ripemd160",  "ripemd256",
    "ripemd320", "whirlpool", "tiger",   "sm3",     "streebog256", "streebog512",
};
static const char *const CIPHERS[] = {"des-cbc", "des-ede3-cbc", "rc2-128-cbc", "aes-128-cbc"};
static const char *const PASSWORD_FUNCTIONS[] = {"pbkdf2-hmac-sha256", "bcrypt", "scrypt", "argon2id"};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

void runner_fail(const char *what)
{
    fprintf(stderr, "%s failed\n", what);
    exit(EXIT_FAILURE);
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        runner_fail("allocation of memory");
    return memory;
}

/* ---- JSON: the flat objects of the protocol ---- */

struct task {
    char *mode, *algorithm, *path, *repeat_path;
    uint64_t id, bytes, chunk_bytes, warm_up, repeats, count, iterations, cost, n, r, p, memory_kib, lanes;
};

static const struct { const char *name; size_t offset; } TEXT_FIELDS[] = {
    {"mode", offsetof(struct task, mode)},
    {"algorithm", offsetof(struct task, algorithm)},
    {"path", offsetof(struct task, path)},
    {"repeat_path", offsetof(struct task, repeat_path)},
}, NUMBER_FIELDS[] = {
    {"id", offsetof(struct task, id)},
    {"bytes", offsetof(struct task, bytes)},
    {"chunk_bytes", offsetof(struct task, chunk_bytes)},
    {"warm_up", offsetof(struct task, warm_up)},
    {"repeats", offsetof(struct task, repeats)},
    {"count", offsetof(struct task, count)},
    {"iterations", offsetof(struct task, iterations)},
    {"cost", offsetof(struct task, cost)},
    {"n", offsetof(struct task, n)},
    {"r", offsetof(struct task, r)},
    {"p", offsetof(struct task, p)},
    {"memory_kib", offsetof(struct task, memory_kib)},
    {"lanes", offsetof(struct task, lanes)},
};

static void skip_space(char **cursor)
{
    *cursor += strspn(*cursor, " \t\r\n");
}

static bool take(char **cursor, char expected)
{
    skip_space(cursor);
    if (**cursor != expected)
        return false;
    ++*cursor;
    return true;
}

static bool read_hex4(char **cursor, uint32_t *value)
{
    *value = 0;
    for (int digit = 0; digit < 4; digit++, ++*cursor) {
        const char *digits = "0123456789abcdef", *found;
        if (!**cursor || !(found = strchr(digits, **cursor | 0x20)))
            return false;
        *value = *value << 4 | (uint32_t)(found - digits);
    }
    return true;
}

static char *write_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int trailing = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *out++ = (char)(0xff00 >> (trailing + 1) | code >> 6 * trailing);
    while (trailing--)
        *out++ = (char)(0x80 | (code >> 6 * trailing & 0x3f));
    return out;
}

/* Reads a string, undoing its escapes in place: what an escape stands for is never longer than the escape. */
static bool read_text(char **cursor, char **text)
{
    if (!take(cursor, '"'))
        return false;
    char *in = *cursor, *out = *text = in;
    while (*in != '"') {
        if ((unsigned char)*in < 0x20)
            return false; /* the end of the line is such a byte, too */
        if (*in != '\\') {
            *out++ = *in++;
            continue;
        }
        const char *letters = "\"\\/bfnrt", *meanings = "\"\\/\b\f\n\r\t", *found;
        char letter = *++in;
        if (!letter)
            return false;
        in++;
        if (letter == 'u') {
            uint32_t code, low;
            if (!read_hex4(&in, &code) || code == 0)
                return false;
            if (code >> 10 == 0xd800 >> 10) {
                if (*in++ != '\\' || *in++ != 'u' || !read_hex4(&in, &low) || low >> 10 != 0xdc00 >> 10)
                    return false;
                code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
            }
            out = write_utf8(out, code);
        } else if ((found = strchr(letters, letter))) {
            *out++ = meanings[found - letters];
        } else {
            return false;
        }
    }
    *cursor = in + 1;
    *out = '\0';
    return true;
}

/* Reads one value. Of a number only its digits before the point are kept; `true`, `false` and `null` are passed over. */
static bool read_value(char **cursor, char **text, uint64_t *number)
{
    skip_space(cursor);
    *text = NULL;
    *number = 0;
    if (**cursor == '"')
        return read_text(cursor, text);
    size_t bytes = strspn(*cursor, "+-.0123456789aeflnrstuE");
    *number = strtoull(*cursor, NULL, 10);
    *cursor += bytes;
    return bytes > 0;
}

static bool read_task(char *line, struct task *task)
{
    memset(task, 0, sizeof *task);
    char *cursor = line, *name, *text;
    uint64_t number;
    if (!take(&cursor, '{'))
        return false;
    do {
        if (!read_text(&cursor, &name) || !take(&cursor, ':') || !read_value(&cursor, &text, &number))
            return false;
        for (size_t index = 0; text && index < LENGTH(TEXT_FIELDS); index++)
            if (!strcmp(name, TEXT_FIELDS[index].name))
                *(char **)((char *)task + TEXT_FIELDS[index].offset) = text;
        for (size_t index = 0; !text && index < LENGTH(NUMBER_FIELDS); index++)
            if (!strcmp(name, NUMBER_FIELDS[index].name))
                *(uint64_t *)((char *)task + NUMBER_FIELDS[index].offset) = number;
    } while (take(&cursor, ','));
    if (!take(&cursor, '}'))
        return false;
    skip_space(&cursor);
    return !*cursor && task->mode && task->algorithm;
}

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
            printf("\\u%04x", *text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_message(const char *type, const struct task *task, const char *message)
{
    printf("{\"type\":\"%s\",\"id\":%" PRIu64 ",\"message\":", type, task->id);
    print_text(message);
    puts("}");
    fflush(stdout);
}

/* ---- Clocks and memory ---- */

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now))
        runner_fail("clock_gettime");
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t clock_step_ns(void)
{
    struct timespec step;
    if (clock_getres(CLOCK_THREAD_CPUTIME_ID, &step))
        runner_fail("clock_getres");
    return (uint64_t)step.tv_sec * 1000000000 + (uint64_t)step.tv_nsec;
}

static uint64_t peak_bytes(void)
{
#ifdef _WIN32
    PROCESS_MEMORY_COUNTERS counters;
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.PeakWorkingSetSize : 0;
#else
    /* Linux hands getrusage's figure on from the process that started this one, so the status file is asked first. */
    char line[256];
    unsigned long long kibibytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && !kibibytes && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %llu kB", &kibibytes);
    if (status)
        fclose(status);
    struct rusage usage;
    if (!kibibytes && !getrusage(RUSAGE_SELF, &usage))
        kibibytes = (unsigned long long)usage.ru_maxrss;
    return kibibytes * 1024;
#endif
}

/* ---- One task ---- */

struct piece { const uint8_t *data; size_t bytes; };

struct run {
    const struct task *task;
    bool (*pass)(struct run *);
    bool checking;          /* the pass before the warm-up, whose answer covers everything */
    const char *error;      /* why a pass returned false */
    uint8_t *data;          /* the file, or where a piece of it is read to */
    uint8_t *ciphertext;    /* of one piece */
    struct piece *messages;
    size_t message_count, chunk_bytes, digest_bytes, block_bytes;
    struct runner_password password;
    uint8_t key[RUNNER_KEY_BYTES_MAX], initialisation_vector[RUNNER_BLOCK_BYTES_MAX];
    uint8_t answer[RUNNER_DIGEST_BYTES_MAX];
    size_t answer_bytes;
    uint64_t bytes_read;
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void answer_with(struct run *run, const uint8_t *answer, size_t bytes)
{
    memcpy(run->answer, answer, bytes);
    run->answer_bytes = bytes;
}

/* Reads until the piece is full or the file ends. */
static ssize_t read_piece(int file, uint8_t *data, size_t bytes)
{
    size_t filled = 0;
    while (filled < bytes) {
        ssize_t got = read(file, data + filled, smaller(bytes - filled, 1 << 30));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        filled += (size_t)got;
    }
    return (ssize_t)filled;
}

static int open_to_read(const char *path)
{
#ifdef _WIN32
    wchar_t wide_path[LINE_BYTES_MAX];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide_path, LENGTH(wide_path))) {
        errno = EINVAL;
        return -1;
    }
    return _wopen(wide_path, _O_RDONLY | _O_BINARY);
#else
    return open(path, O_RDONLY);
#endif
}

/* Opens the file of the task and hands it to `use` in pieces of chunk_bytes. */
static bool for_each_piece(struct run *run, void (*use)(struct run *, size_t bytes))
{
    uint64_t total = 0;
    int file = open_to_read(run->task->path);
    if (file < 0) {
        run->error = strerror(errno);
        return false;
    }
    ssize_t bytes;
    while ((bytes = read_piece(file, run->data, run->chunk_bytes)) > 0) {
        use(run, (size_t)bytes);
        total += (uint64_t)bytes;
        if ((size_t)bytes < run->chunk_bytes)
            break;
    }
    if (bytes < 0)
        run->error = strerror(errno);
    else if (total != run->task->bytes)
        run->error = "the file is not as long as the task says";
    run->bytes_read = total;
    close(file);
    return !run->error;
}

static void finish_digest(struct run *run)
{
    digest_finish(run->answer);
    run->answer_bytes = run->digest_bytes;
}

static bool pass_digest(struct run *run)
{
    size_t total = run->task->bytes;
    digest_start();
    for (size_t start = 0; start < total; start += run->chunk_bytes)
        digest_update(run->data + start, smaller(run->chunk_bytes, total - start));
    finish_digest(run);
    return true;
}

static void use_digest(struct run *run, size_t bytes)
{
    digest_update(run->data, bytes);
}

static bool pass_digest_file(struct run *run)
{
    digest_start();
    bool complete = for_each_piece(run, use_digest);
    finish_digest(run);
    return complete;
}

static void use_nothing(struct run *run, size_t bytes)
{
    (void)run;
    (void)bytes;
}

static bool pass_read_file(struct run *run)
{
    return for_each_piece(run, use_nothing);
}

static void encrypt(struct run *run, const uint8_t *plaintext, size_t bytes)
{
    cipher_update(plaintext, bytes, run->ciphertext);
    answer_with(run, run->ciphertext + bytes - run->block_bytes, run->block_bytes);
}

static bool pass_cipher(struct run *run)
{
    size_t total = run->task->bytes;
    bool whole = run->checking && (run->digest_bytes = digest_select("sha256"));
    if (whole)
        digest_start();
    cipher_start(run->key, run->initialisation_vector);
    for (size_t start = 0; start < total; start += run->chunk_bytes) {
        size_t bytes = smaller(run->chunk_bytes, total - start);
        encrypt(run, run->data + start, bytes);
        if (whole)
            digest_update(run->ciphertext, bytes);
    }
    if (whole)
        finish_digest(run);
    return true;
}

static void use_cipher(struct run *run, size_t bytes)
{
    if (bytes % run->block_bytes)
        run->error = "the file is not a multiple of the cipher's block";
    else
        encrypt(run, run->data, bytes);
}

static bool pass_cipher_file(struct run *run)
{
    cipher_start(run->key, run->initialisation_vector);
    return for_each_piece(run, use_cipher);
}

static bool pass_messages(struct run *run)
{
    uint8_t *all = run->checking ? allocate(run->message_count * run->digest_bytes) : NULL;
    for (size_t index = 0; index < run->message_count; index++) {
        digest_start();
        digest_update(run->messages[index].data, run->messages[index].bytes);
        digest_finish(run->answer);
        if (all)
            memcpy(all + index * run->digest_bytes, run->answer, run->digest_bytes);
    }
    if (all) {
        digest_start();
        digest_update(all, run->message_count * run->digest_bytes);
        digest_finish(run->answer);
        free(all);
    }
    run->answer_bytes = run->digest_bytes;
    return true;
}

static bool pass_password(struct run *run)
{
    for (uint64_t index = 0; index < run->task->count; index++)
        password_derive(&run->password, run->answer);
    run->answer_bytes = run->password.derived_bytes;
    return true;
}

static const struct { const char *name; bool (*pass)(struct run *); } MODES[] = {
    {"digest", pass_digest}, {"digest-file", pass_digest_file}, {"read-file", pass_read_file}, {"cipher", pass_cipher},
    {"cipher-file", pass_cipher_file}, {"strings", pass_messages}, {"messages", pass_messages}, {"password", pass_password},
};

static bool load(struct run *run)
{
    size_t chunk_bytes = run->chunk_bytes;
    run->chunk_bytes = run->task->bytes + 1; /* one more than expected, to see that nothing follows */
    run->data = allocate(run->chunk_bytes);
    bool complete = for_each_piece(run, use_nothing);
    run->chunk_bytes = chunk_bytes;
    return complete;
}

static void split_lines(struct run *run)
{
    const uint8_t *line = run->data, *end = run->data + run->task->bytes;
    for (const uint8_t *byte = line; byte < end; byte++)
        run->message_count += *byte == '\n';
    run->messages = allocate(run->message_count * sizeof *run->messages);
    for (size_t index = 0; index < run->message_count; index++) {
        const uint8_t *line_end = memchr(line, '\n', (size_t)(end - line));
        run->messages[index] = (struct piece){line, (size_t)(line_end - line)};
        line = line_end + 1;
    }
}

static void split_equally(struct run *run)
{
    uint64_t bytes = run->task->bytes, count = run->task->count;
    if (!count || !bytes || bytes % count) {
        run->error = "not messages of one length";
        return;
    }
    run->message_count = count;
    run->messages = allocate(count * sizeof *run->messages);
    for (size_t index = 0; index < count; index++)
        run->messages[index] = (struct piece){run->data + index * (bytes / count), bytes / count};
}

/* Chooses mode and algorithm and puts everything in place before the clock starts; says why not in `error`. */
static bool prepare(struct run *run, bool *offered)
{
    const struct task *task = run->task;
    *offered = false;
    for (size_t index = 0; index < LENGTH(MODES); index++)
        if (!strcmp(task->mode, MODES[index].name))
            run->pass = MODES[index].pass;
    if (!run->pass) {
        run->error = "unknown mode";
        return false;
    }
    run->error = "not in this library";
    if (run->pass == pass_password) {
        bool bcrypt = !strcmp(task->algorithm, "bcrypt");
        run->password = (struct runner_password){
            .name = task->algorithm, .password = "correct horse battery staple", .iterations = task->iterations,
            .cost = task->cost, .n = task->n, .r = task->r, .p = task->p, .memory_kib = task->memory_kib,
            .lanes = task->lanes, .derived_bytes = bcrypt ? 23 : 32,
        };
        for (uint8_t index = 0; index < RUNNER_SALT_BYTES; index++)
            run->password.salt[index] = index;
        if (!password_derive(&run->password, NULL))
            return false;
    } else if (run->pass == pass_cipher || run->pass == pass_cipher_file) {
        for (uint8_t index = 0; index < RUNNER_KEY_BYTES_MAX; index++)
            run->key[index] = index + 1;
        for (uint8_t index = 0; index < RUNNER_BLOCK_BYTES_MAX; index++)
            run->initialisation_vector[index] = index;
        if (!(run->block_bytes = cipher_select(task->algorithm)))
            return false;
    } else if (run->pass != pass_read_file) {
        if (!(run->digest_bytes = digest_select(task->algorithm)))
            return false;
    }
    *offered = true;
    run->error = NULL;
    if (run->pass == pass_password)
        return true;
    if (!task->path)
        run->error = "a task without a path";
    else if (task->bytes >= SIZE_MAX / 2 || task->chunk_bytes >= SIZE_MAX / 2)
        run->error = "a size beyond all memory";
    else if (run->block_bytes && (task->bytes % run->block_bytes || task->chunk_bytes % run->block_bytes))
        run->error = "not a multiple of the cipher's block";
    if (run->error)
        return false;
    bool in_memory = run->pass == pass_digest || run->pass == pass_cipher || run->pass == pass_messages;
    run->chunk_bytes = task->chunk_bytes ? task->chunk_bytes : task->bytes + !in_memory;
    if (run->block_bytes)
        run->ciphertext = allocate(smaller(run->chunk_bytes, task->bytes + 1));
    if (!in_memory)
        run->data = allocate(run->chunk_bytes);
    else if (!load(run))
        return false;
    if (!strcmp(task->mode, "strings"))
        split_lines(run);
    else if (!strcmp(task->mode, "messages"))
        split_equally(run);
    return !run->error;
}

static void print_answer(const struct run *run)
{
    printf("\"answer\":\"");
    if (run->pass == pass_read_file)
        printf("%" PRIu64, run->bytes_read);
    for (size_t index = 0; index < run->answer_bytes; index++)
        printf("%02x", run->answer[index]);
    puts("\"}");
    fflush(stdout);
}

static void discard(struct run *run)
{
    free(run->data);
    free(run->ciphertext);
    free(run->messages);
}

/* Takes the data of one repeat, where each has its own. */
static bool vary(struct run *run, uint64_t repeat)
{
    static char path[LINE_BYTES_MAX + 24];
    static struct task varied;
    bool offered;
    if (!run->task->repeat_path)
        return true;
    varied = *run->task;
    snprintf(path, sizeof path, "%s%" PRIu64, varied.repeat_path, repeat);
    varied.path = path;
    discard(run);
    *run = (struct run){.task = &varied};
    if (!prepare(run, &offered))
        return false;
    printf("{\"type\":\"begin\",\"id\":%" PRIu64 ",\"repeat\":%" PRIu64 "}\n", varied.id, repeat);
    fflush(stdout);
    return true;
}

static void measure(struct run *run)
{
    const struct task *task = run->task;
    run->checking = true;
    if (!run->pass(run))
        return;
    printf("{\"type\":\"check\",\"id\":%" PRIu64 ",", task->id);
    print_answer(run);
    run->checking = false;
    for (uint64_t index = 0; index < task->warm_up; index++)
        if (!run->pass(run))
            return;
    for (uint64_t repeat = 0; repeat < task->repeats; repeat++) {
        if (!vary(run, repeat))
            return;
        uint64_t wall_ns = nanoseconds(CLOCK_MONOTONIC), cpu_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        bool complete = run->pass(run);
        cpu_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
        wall_ns = nanoseconds(CLOCK_MONOTONIC) - wall_ns;
        if (!complete)
            return;
        printf("{\"type\":\"sample\",\"id\":%" PRIu64 ",\"repeat\":%" PRIu64 ",\"wall_ns\":%" PRIu64 ",\"cpu_ns\":%" PRIu64 ",",
               task->id, repeat, wall_ns, cpu_ns);
        print_answer(run);
    }
    printf("{\"type\":\"done\",\"id\":%" PRIu64 ",\"peak_bytes\":%" PRIu64 "}\n", task->id, peak_bytes());
    fflush(stdout);
}

static void carry_out(const struct task *task)
{
    struct run run = {.task = task};
    bool offered;
    if (prepare(&run, &offered))
        measure(&run);
    if (run.error)
        print_message(offered ? "error" : "not-offered", task, run.error);
    discard(&run);
}

static void print_hello(const struct runner_library *library)
{
    const char *separator = "";
    printf("{\"type\":\"hello\",\"protocol\":1,\"language\":\"%s\",\"language_version\":", library->language);
    print_text(__VERSION__);
    printf(",\"library\":\"%s\",\"library_version\":", library->name);
    print_text(library->version);
    printf(",\"provider\":\"%s\",\"backend\":", library->provider ? library->provider : "");
    print_text(library->backend ? library->backend : "");
    printf(",\"stand_in\":%s,\"varies\":true,\"clock_ns\":%" PRIu64 ",\"algorithms\":[", library->stand_in ? "true" : "false", clock_step_ns());
    for (size_t index = 0; index < LENGTH(DIGESTS); index++)
        if (digest_select(DIGESTS[index]))
            printf("%s\"%s\"", separator, DIGESTS[index]), separator = ",";
    for (size_t index = 0; index < LENGTH(CIPHERS); index++)
        if (cipher_select(CIPHERS[index]))
            printf("%s\"%s\"", separator, CIPHERS[index]), separator = ",";
    for (size_t index = 0; index < LENGTH(PASSWORD_FUNCTIONS); index++) {
        struct runner_password password = {.name = PASSWORD_FUNCTIONS[index], .lanes = 1};
        if (password_derive(&password, NULL))
            printf("%s\"%s\"", separator, password.name), separator = ",";
    }
    puts("]}");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static char line[LINE_BYTES_MAX + 2];
    struct runner_library library = {0};
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    library_start(&library, argc, argv);
    print_hello(&library);
    while (fgets(line, sizeof line, stdin)) {
        struct task task;
        if (read_task(line, &task))
            carry_out(&task);
        else
            print_message("error", &task, "no task of the protocol");
    }
    return ferror(stdin) ? EXIT_FAILURE : EXIT_SUCCESS;
}
