// A driver without a GPU, for tests: "device memory" is memory of the host, and work enqueued in a stream is done as late as
// allowed, when somebody waits for it. Code that uses host buffers too early, or device memory out of order, gets wrong bytes.
//
// FAKE_MEMORY bytes can be allocated; FAKE_POOLS=0 hides the memory pools; FAKE_NO_DEVICE makes cuInit fail; FAKE_VERSION is the
// version of CUDA. Whoever only asks whether work is done hears `no` twice; then it is done. The kernel `forever` is done when the
// word at its address is written from the other stream, and never before. Other kernels do one thing: they add 1 to `count` bytes at `address`, the two members of their parameter. The kernel
// `repeat` has a third one, the handle of a condition, which it sets to 0 when the first byte has become a multiple of 5.

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, NO_CONTEXT = 201, NOT_READY = 600 };
typedef int Result;
typedef uint64_t Address;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local void *current;
static int retained, made_graphs;

static uint64_t number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

// ---- the stream: operations are numbered; events remember the number they come after.

typedef struct {
    enum { COPY, FILL, KERNEL, REPEAT } kind;
    char *to;
    const char *from;
    size_t bytes;
    uint32_t value;
    int width;
} Operation;

static Operation queue[1 << 16];
static uint64_t enqueued, done, questions;
static char *endless;   // the word that an endless kernel looks at; null when none runs

static void do_until(uint64_t end) {
    for (; done < end; done++) {
        Operation *o = &queue[done % (1 << 16)];
        if (o->kind == COPY) memmove(o->to, o->from, o->bytes);
        if (o->kind == KERNEL) for (size_t i = 0; i < o->bytes; i++) o->to[i]++;
        if (o->kind == REPEAT) do for (size_t i = 0; i < o->bytes; i++) o->to[i]++; while (o->to[0] % 5);
        if (o->kind == FILL) for (size_t i = 0; i < o->bytes; i++) memcpy(o->to + i * o->width, &o->value, o->width);
    }
}

// Whether work up to `end` is done, for those who ask instead of waiting.
static Result ask(uint64_t end) {
    if (!current) return NO_CONTEXT;
    pthread_mutex_lock(&mutex);
    if (endless && *endless) endless = NULL;
    Result result = end <= done ? OK : NOT_READY;
    if (result && !endless && ++questions % 3 == 0) { do_until(end); result = OK; }
    pthread_mutex_unlock(&mutex);
    return result;
}

static Result enqueue(Operation operation) {
    if (!current) return NO_CONTEXT;
    pthread_mutex_lock(&mutex);
    if (enqueued - done == 1 << 16) do_until(done + 1);
    queue[enqueued++ % (1 << 16)] = operation;
    pthread_mutex_unlock(&mutex);
    return OK;
}

// ---- memory: blocks given back are handed out again at once, as in the order of a stream they may be.

typedef struct Block { struct Block *next; size_t bytes; int used; char *start; } Block;
static Block *blocks;
static uint64_t reserved;

static Result take(Address *address, size_t bytes) {
    if (!current) return NO_CONTEXT;
    pthread_mutex_lock(&mutex);
    Result result = OK;
    Block *b = blocks;
    while (b && (b->used || b->bytes != bytes)) b = b->next;
    if (!b && reserved + bytes > number("FAKE_MEMORY", 1 << 30)) result = OUT_OF_MEMORY;
    else if (!b) {
        b = malloc(sizeof *b);
        *b = (Block){blocks, bytes, 0, aligned_alloc(512, (bytes + 511) / 512 * 512)};
        blocks = b;
        reserved += bytes;
    }
    if (!result) { b->used = 1; *address = (Address)b->start; }
    pthread_mutex_unlock(&mutex);
    return result;
}

static Result give(Address address, int forget) {
    pthread_mutex_lock(&mutex);
    Result result = INVALID;
    for (Block **b = &blocks; *b; b = &(*b)->next)
        if ((Address)(*b)->start == address && (*b)->used) {
            (*b)->used = 0;
            result = OK;
            if (forget) { Block *gone = *b; *b = gone->next; reserved -= gone->bytes; do_until(enqueued); free(gone->start); free(gone); }
            break;
        }
    pthread_mutex_unlock(&mutex);
    return result;
}

Result cuMemAlloc_v2(Address *address, size_t bytes) { return take(address, bytes); }
Result cuMemFree_v2(Address address) { return give(address, 1); }
Result cuMemAllocFromPoolAsync(Address *address, size_t bytes, void *pool, void *stream) { (void)pool; (void)stream; return take(address, bytes); }
Result cuMemFreeAsync(Address address, void *stream) { (void)stream; return give(address, 0); }
Result cuMemPoolCreate(void **pool, const void *properties) { (void)properties; *pool = &blocks; return OK; }
Result cuMemPoolDestroy(void *pool) { return pool == &blocks ? OK : INVALID; }
Result cuMemPoolSetAttribute(void *pool, int attribute, void *value) { (void)pool; return attribute == 4 && *(uint64_t *)value == UINT64_MAX ? OK : INVALID; }
Result cuMemPoolGetAttribute(void *pool, int attribute, void *value) { (void)pool; *(uint64_t *)value = reserved; return attribute == 5 ? OK : INVALID; }
Result cuMemPoolTrimTo(void *pool, size_t keep) {
    (void)pool; (void)keep;
    pthread_mutex_lock(&mutex);
    for (Block **b = &blocks; *b;)
        if ((*b)->used) b = &(*b)->next;
        else { Block *gone = *b; *b = gone->next; reserved -= gone->bytes; free(gone->start); free(gone); }
    pthread_mutex_unlock(&mutex);
    return OK;
}
Result cuMemGetInfo_v2(size_t *free, size_t *total) {
    if (!current) return NO_CONTEXT;
    *total = number("FAKE_MEMORY", 1 << 30);
    *free = *total - reserved;
    return OK;
}
Result cuMemHostAlloc(void **start, size_t bytes, unsigned flags) { (void)flags; *start = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096); return OK; }
Result cuMemFreeHost(void *start) { free(start); return done == enqueued ? OK : INVALID; }
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) { if (stream == &questions) { memcpy((char *)to, from, bytes); return OK; } return enqueue((Operation){COPY, (char *)to, from, bytes, 0, 0}); }
Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) { (void)stream; return enqueue((Operation){COPY, to, (char *)from, bytes, 0, 0}); }
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) { (void)stream; return enqueue((Operation){COPY, (char *)to, (char *)from, bytes, 0, 0}); }
Result cuMemsetD8Async(Address to, unsigned char value, size_t count, void *stream) { (void)stream; return enqueue((Operation){FILL, (char *)to, NULL, count, value, 1}); }
Result cuMemsetD32Async(Address to, unsigned value, size_t count, void *stream) { (void)stream; return enqueue((Operation){FILL, (char *)to, NULL, count, value, 4}); }

// ---- device, context, stream, events

Result cuInit(unsigned flags) { (void)flags; return getenv("FAKE_NO_DEVICE") ? NO_DEVICE : OK; }
Result cuDriverGetVersion(int *version) { *version = number("FAKE_VERSION", 13000); return OK; }
Result cuDeviceGetCount(int *count) { *count = 2; return OK; }
Result cuDeviceGet(int *device, int index) { *device = index; return OK; }
Result cuDeviceGetName(char *name, int length, int device) { strncpy(name, device ? "Fake two" : "Fake one", length); return OK; }
Result cuDeviceGetPCIBusId(char *name, int length, int device) { strncpy(name, device ? "0000:02:00.0" : "0000:01:00.0", length); return OK; }
Result cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = number("FAKE_MEMORY", 1 << 30); return OK; }
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
        case 16: *value = 132; break;
        case 36: *value = 1000000; break;
        case 37: *value = 4096; break;
        case 38: *value = 1 << 20; break;
        case 81: *value = 228 << 10; break;
        case 75: *value = 9; break;
        case 76: *value = 0; break;
        case 95: *value = 1; break;
        case 115: *value = number("FAKE_POOLS", 1); break;
        default: return INVALID;
    }
    return OK;
}
Result cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; retained++; *context = &retained; return OK; }
Result cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    if (retained == 1 && made_graphs) abort();
    return --retained < 0 ? INVALID : OK;
}
Result cuCtxSetCurrent(void *context) { current = context; return OK; }
// The first stream of a context is the one of its work; what goes into the second is done at once.
Result cuStreamCreate(void **stream, unsigned flags) { static int made; *stream = made++ % 2 ? (void *)&questions : queue; return flags == 1 ? OK : INVALID; }
Result cuStreamDestroy_v2(void *stream) { return endless ? INVALID : stream == queue || stream == &questions ? OK : INVALID; }
Result cuStreamQuery(void *stream) { return stream == queue ? ask(enqueued) : stream == &questions ? OK : INVALID; }

typedef struct { uint64_t after; unsigned flags; } Event;
Result cuEventCreate(Event **event, unsigned flags) { *event = calloc(1, sizeof(Event)); (*event)->flags = flags; return OK; }
Result cuEventDestroy_v2(Event *event) { free(event); return OK; }
Result cuEventRecord(Event *event, void *stream) { (void)stream; event->after = enqueued; return current ? OK : NO_CONTEXT; }
Result cuEventQuery(Event *event) { return ask(event->after); }
// A millisecond for each operation.
Result cuEventElapsedTime(float *milliseconds, Event *from, Event *to) {
    if (from->flags || to->flags) return INVALID;
    if (from->after > done || to->after > done) return NOT_READY;
    *milliseconds = to->after - from->after;
    return OK;
}

// ---- kernels: the image must be what the fake compiler makes.

Result cuModuleLoadData(void **module, const char *image) { *module = &queue; return strncmp(image, "cubin:", 6) ? 200 : OK; }
Result cuModuleUnload(void *module) { return module == &queue ? OK : INVALID; }
Result cuModuleGetFunction(void **function, void *module, const char *name) { (void)module; *function = !strcmp(name, "forever") ? (void *)&endless : strcmp(name, "repeat") ? (void *)&done : &enqueued; return strcmp(name, "missing") ? OK : 500; }
Result cuFuncGetAttribute(int *value, int attribute, void *function) { (void)function; *value = attribute == 4 ? 32 : 0; return OK; }
Result cuFuncSetAttribute(void *function, int attribute, int value) { (void)function; (void)value; return attribute == 9 ? OK : INVALID; }
Result cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes) { *offset = 0; *bytes = function == &enqueued ? 24 : 16; return index ? INVALID : OK; }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) { (void)function; *blocks = 2048 / threads; return shared ? INVALID : OK; }

typedef struct { int id; char pad[4]; union { char pad[64]; int cooperative; } value; } Attribute;
typedef struct { unsigned grid[3], block[3], shared; void *stream; Attribute *attributes; unsigned count; } Config;
Result cuLaunchKernelEx(const Config *config, void *function, void **parameters, void **extra) {
    if ((function != &done && function != &endless) || extra || config->stream != queue) return INVALID;
    unsigned cooperative = 0;
    for (unsigned i = 0; i < config->count; i++) {
        if (config->attributes[i].id == 2) cooperative = config->attributes[i].value.cooperative;
    }
    if (cooperative && config->grid[0] > 132 * (2048 / config->block[0])) return 720;
    struct { char *address; uint64_t count; } argument;
    memcpy(&argument, parameters[0], sizeof argument);
    if (function == &endless) endless = argument.address;
    return enqueue((Operation){KERNEL, argument.address, NULL, argument.count, 0, 0});
}

// ---- graphs: a conditional node whose body is one kernel. What was made must be destroyed before the context goes.

typedef struct { char *address; uint64_t count, handle; } Repeated;
typedef struct Graph { struct Graph *body; uint64_t handle; int conditional, kernel, cooperative; Repeated argument; } Graph;
typedef struct { Repeated argument; } Executable;
typedef struct { void *function; unsigned grid[3], block[3], shared; void **parameters, **extra, *kernel, *context; } KernelNode;
typedef struct { int type, reserved[3]; uint64_t handle; int kind; unsigned size; Graph **bodies; void *context; uint64_t rest[25]; long long end; } NodeParams;

Result cuGraphCreate(Graph **graph, unsigned flags) { if (!current || flags) return INVALID; *graph = calloc(1, sizeof **graph); made_graphs++; return OK; }
Result cuGraphDestroy(Graph *graph) { free(graph->body); free(graph); made_graphs--; return OK; }
Result cuGraphConditionalHandleCreate(uint64_t *handle, Graph *graph, void *context, unsigned value, unsigned flags) {
    if (context != &retained || value != 1 || flags != 1) return INVALID;
    *handle = graph->handle = (uint64_t)graph ^ 77;
    return OK;
}
Result cuGraphAddNode_v2(void **node, Graph *graph, void **dependencies, void *data, size_t count, NodeParams *params) {
    if (dependencies || data || count || params->type != 13 || params->kind != 1 || params->size != 1) return INVALID;
    if (params->handle != graph->handle || params->context != &retained) return INVALID;
    graph->conditional = 1;
    graph->body = calloc(1, sizeof(Graph));
    graph->body->handle = graph->handle;
    params->bodies = &graph->body;
    *node = graph;
    return OK;
}
static Result argument_of(Repeated *argument, const KernelNode *params, uint64_t handle) {
    if (params->function != &enqueued || params->extra || params->shared) return INVALID;
    memcpy(argument, params->parameters[0], sizeof *argument);
    return argument->handle == handle ? OK : INVALID;
}
Result cuGraphAddKernelNode_v2(Graph **node, Graph *graph, void **dependencies, size_t count, const KernelNode *params) {
    if (dependencies || count || graph->kernel++) return INVALID;
    *node = graph;
    return argument_of(&graph->argument, params, graph->handle);
}
Result cuGraphKernelNodeSetAttribute(Graph *node, int attribute, const int *value) { node->cooperative = *value; return attribute == 2 ? OK : INVALID; }
Result cuGraphInstantiateWithFlags(Executable **executable, Graph *graph, unsigned long long flags) {
    if (flags || !graph->conditional || !graph->body->kernel) return INVALID;
    *executable = malloc(sizeof **executable);
    (*executable)->argument = graph->body->argument;
    made_graphs++;
    return OK;
}
Result cuGraphExecDestroy(Executable *executable) { free(executable); made_graphs--; return done == enqueued ? OK : INVALID; }
Result cuGraphExecKernelNodeSetParams_v2(Executable *executable, Graph *node, const KernelNode *params) { return argument_of(&executable->argument, params, node->handle); }
Result cuGraphLaunch(Executable *executable, void *stream) {
    Repeated *a = &executable->argument;
    return stream == queue ? enqueue((Operation){REPEAT, a->address, NULL, a->count, 0, 0}) : INVALID;
}

Result cuGetErrorName(Result result, const char **text) {
    *text = result == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_FAKE";
    return OK;
}
Result cuGetErrorString(Result result, const char **text) { (void)result; *text = "as the fake driver has it"; return OK; }
