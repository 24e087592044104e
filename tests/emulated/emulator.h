/* CUDA kernels run on the processor, so that they can be tested where there is no GPU.

The source of a kernel is compiled as it is, after this header. Each thread of a block is a fiber with a stack of its
own; they run one after another, each until it comes to a barrier or to an exchange between the lanes of its warp. The
schedule says in which order: forwards, backwards, or at random, another one each time. A kernel that lacks a barrier
gives other results then. What no order of the fibers can show: a load or a store that a GPU would make earlier or later
than it is written.

A launch ends with an error where threads wait for each other in vain, or at different barriers. */

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __shared__ static  // one block runs at a time
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __syncthreads() emulated::wait(emulated::BLOCK, __LINE__, 0, 0)
#define __syncthreads_or(flag) ((int)emulated::wait(emulated::BLOCK_OR, __LINE__, (flag) ? 1 : 0, 0))
#define __syncwarp() emulated::wait(emulated::WARP, __LINE__, 0, 0)
#define __shfl_xor_sync(mask, value, step) ((decltype(value))emulated::wait(emulated::SHUFFLE, __LINE__, value, step))
#define __ballot_sync(mask, flag) ((unsigned)emulated::wait(emulated::BALLOT, __LINE__, (flag) ? 1 : 0, 0))
#define __all_sync(mask, flag) (__ballot_sync(mask, flag) == 0xFFFFFFFFu)

struct dim3 {
    unsigned x, y, z;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;
static unsigned long long* shared_room;

namespace emulated {

enum Kind { RUNNING, BLOCK, BLOCK_OR, WARP, SHUFFLE, BALLOT, DONE };
constexpr size_t STACK = 1 << 17;

struct Fiber {
    jmp_buf jump;
    ucontext_t context;
    std::vector<char> stack;
    bool begun;
    Kind kind;
    int line, step;
    uint64_t value, result;
};

static std::vector<Fiber> fibers;
static std::vector<int> order;
static jmp_buf scheduler;
static ucontext_t first_context;
static int current;
static void (*body)();
static uint64_t random_state;

static uint64_t wait(Kind kind, int line, uint64_t value, int step) {
    Fiber& fiber = fibers[current];
    fiber.kind = kind;
    fiber.line = line;
    fiber.value = value;
    fiber.step = step;
    if (!_setjmp(fiber.jump)) _longjmp(scheduler, 1);
    return fiber.result;
}

static void run_body() {
    body();
    fibers[current].kind = DONE;
    _longjmp(scheduler, 1);
}

static void resume(int thread) {
    Fiber& fiber = fibers[thread];
    current = thread;
    threadIdx = {(unsigned)thread, 0, 0};
    fiber.kind = RUNNING;
    if (_setjmp(scheduler)) return;
    if (fiber.begun) _longjmp(fiber.jump, 1);
    fiber.begun = true;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, run_body, 0);
    swapcontext(&first_context, &fiber.context);
}

/* Let threads go on that have all come to the same place, and tell whether they have. */
static bool release(int begin, int end, bool block) {
    const Fiber& first = fibers[begin];
    if (first.kind == DONE || (first.kind == BLOCK || first.kind == BLOCK_OR) != block) return false;
    uint64_t together = 0;
    for (int thread = begin; thread < end; ++thread) {
        if (fibers[thread].kind != first.kind || fibers[thread].line != first.line) return false;
        if (first.kind == BALLOT) together |= fibers[thread].value << (thread - begin);
        if (first.kind == BLOCK_OR) together |= fibers[thread].value;
    }
    for (int thread = begin; thread < end; ++thread) {
        Fiber& fiber = fibers[thread];
        fiber.result = first.kind == SHUFFLE ? fibers[begin + ((thread - begin) ^ fiber.step)].value : together;
    }
    for (int thread = begin; thread < end; ++thread) fibers[thread].kind = RUNNING;
    return true;
}

static void shuffle_order(unsigned schedule) {
    if (schedule < 2) return;
    for (size_t place = order.size(); place > 1; --place) {
        random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[place - 1], order[(random_state >> 33) % place]);
    }
}

static bool run_block(unsigned schedule) {
    const int threads = (int)fibers.size();
    for (Fiber& fiber : fibers) {
        fiber.begun = false;
        fiber.kind = RUNNING;
    }
    for (;;) {
        shuffle_order(schedule);
        for (int thread : order)
            if (fibers[thread].kind == RUNNING) resume(thread);
        bool moved = release(0, threads, true);
        for (int begin = 0; begin < threads; begin += 32) moved |= release(begin, begin + 32, false);
        if (moved) continue;
        for (const Fiber& fiber : fibers)
            if (fiber.kind != DONE) return false;
        return true;
    }
}

template <class... Types, size_t... Places>
void unpack(std::tuple<Types...>& values, void** arguments, std::index_sequence<Places...>) {
    ((std::get<Places>(values) = *(Types*)arguments[Places]), ...);
}

/* Run a kernel and return 0, or 1 where its threads did not come together at a barrier. */
template <class... Types>
int launch(void (*kernel)(Types...), unsigned grid, unsigned threads, size_t room, void** arguments, unsigned schedule) {
    static std::tuple<Types...> values;
    static void (*called)(Types...);
    if (threads == 0 || threads % 32) return 2;
    called = kernel;
    unpack(values, arguments, std::index_sequence_for<Types...>());
    body = [] { std::apply(called, values); };
    random_state = schedule;
    gridDim = {grid, 1, 1};
    blockDim = {threads, 1, 1};
    fibers.resize(threads);
    order.resize(threads);
    for (unsigned place = 0; place < threads; ++place) {
        fibers[place].stack.resize(STACK);
        order[place] = schedule == 1 ? threads - 1 - place : place;
    }
    std::vector<unsigned long long> shared(room / 8 + 1);
    shared_room = shared.data();
    for (unsigned block = 0; block < grid; ++block) {
        blockIdx = {block, 0, 0};
        memset(shared.data(), 0x5A, shared.size() * 8);  // nothing may rest on what stands there at first
        if (!run_block(schedule)) return 1;
    }
    return 0;
}

}  // namespace emulated

template <class Type>
static Type max(Type a, Type b) { return a < b ? b : a; }
template <class Type>
static Type min(Type a, Type b) { return b < a ? b : a; }

static inline int __popc(unsigned word) { return __builtin_popcount(word); }
static inline int __popcll(unsigned long long word) { return __builtin_popcountll(word); }
static inline int __ffs(unsigned word) { return __builtin_ffs((int)word); }

static inline unsigned __vminu2(unsigned a, unsigned b) {
    return min(a & 0xFFFF, b & 0xFFFF) | min(a >> 16, b >> 16) << 16;
}

static inline unsigned __vmaxu2(unsigned a, unsigned b) {
    return max(a & 0xFFFF, b & 0xFFFF) | max(a >> 16, b >> 16) << 16;
}

template <class Type>
static Type atomicAdd(Type* place, Type more) {
    const Type before = *place;
    *place = before + more;
    return before;
}

static inline unsigned atomicOr(unsigned* place, unsigned bits) {
    const unsigned before = *place;
    *place = before | bits;
    return before;
}
