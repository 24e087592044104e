/* Lower bounds of states on a GPU: the twin of `kernels/bounds`, with the same whole numbers for the same states.

A block of threads searches one state at a time, on a stack of its own, and takes the next from a common queue. Its
threads share out the guesses: each has `EACH` of them, whose counts of answers stay in its registers while a state is
scored. So scoring, which is nearly all of the work, reads nothing but a few hundred bytes of shared memory.

A state is a list of secrets. To be scored it is shown as planes: for each token (letter) the secrets that have it, one
bit a secret, 32 of them in a word. Adding up the words of a guess's tokens bit by bit, as circuits add, gives how many
letters all 32 secrets have in common with it at once; each answer is then a mask whose bits are counted.

Thread 0 decides what comes next; what it writes for the others stands between two barriers. All branches around a
barrier depend on values that are the same in all threads.

The host defines how many there are of everything: THREADS, EACH, LETTERS, ANSWERS and BLOCKS (of a multiprocessor). A
game of fewer letters or answers may be searched too: then the other tokens and answers are those of no secret. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifndef EMULATED
extern __shared__ u64 shared_room[];
#endif

constexpr int GUESSES = THREADS * EACH;  // filled up with guesses that tell nothing apart
constexpr int WARPS = THREADS / 32;
constexpr int PAIRS = (ANSWERS + 2) / 2;  // the counts of all answers, and whether the guess may be the secret
constexpr int DEPTHS = 16;                // guesses that the counting bound tells apart
constexpr int FEW = 2;                    // so many secrets cost the same whatever they are: 1 and 3 guesses
constexpr int BUCKET = 4;                 // a memo has a state in one of so many places
constexpr int LOOKS = 64;                 // states scored between two looks at the flag that ends it all
constexpr u32 STEPS = 255;                // scores so far above the least, or farther, count as the same order
constexpr int SEARCHED = -2, NOTHING = -1;
constexpr u32 NEVER = 0xFFFF;             // the score of a guess that is never tried
constexpr u32 NO_GUESS = 0xFFFFFFFF;
constexpr u32 ALL = 0xFFFFFFFF;
enum Told { AT_LEAST, WHOLE, SETTLED };   // what is known of a bound
enum Counter { NEXT_TASK, FINISHED };

struct Game {
    const u64* tokens;   // of each guess, eight bits each; those it does not have are the last of all
    const u8* answers;   // [guesses, secrets], of which those that end the game are ANSWERS or more
    const int* finder;   // the guess that finds each secret
    int secrets, letters, stride;  // stride: how many tokens there are, the last of them in no word
};

struct Entry {  // of a memo: a state searched to so many plies
    u64 key, start;
    int bound;
    u16 size;
    u8 plies, told;
};

struct Memo {
    Entry* entries;  // size 0: none
    u16* pool;       // the secrets of all states, written in a circle
    u64* written;    // how many were ever written
    u32 slots, room; // powers of two
};

struct Frame {  // a level of the search: a state, and the guess being tried there
    int size, begin;                       // the state stands in the level's list, from here on
    int plies, target;                     // what is asked: a bound to so many guesses, cut at the target
    int best, settled;                     // the least total of a guess so far, or the target
    int total;                             // the bound of the guess being tried
    u32 least, next;                       // the least score, and the least key of a guess not tried yet
    int depth, turn, place, answer, asked; // which part is asked, and for what
    int within[DEPTHS + 1];                // how many secrets are found within so many guesses at most
    int parts;                             // those of three secrets or more; `part` lists their answers, largest first
    int part[ANSWERS], part_begin[ANSWERS], part_size[ANSWERS], part_bound[ANSWERS];
    int part_settled[ANSWERS], part_open[ANSWERS];
};

constexpr int FRAME_WORDS = sizeof(Frame) / sizeof(int);
static_assert(FRAME_WORDS == 32 + 6 * ANSWERS && sizeof(Entry) == 24, "the host makes room for them (evaluator.py)");
constexpr int SAVED_HEAD = 2;  // of a search that pauses: its level, counted from 1, or 0 for none; its ticket

// ---------------------------------------------------------------------------------------------------- all threads

__device__ int from_first(int value) {  // thread 0's value, in all threads
    __shared__ int box;
    if (threadIdx.x == 0) box = value;
    __syncthreads();
    value = box;
    __syncthreads();
    return value;
}

__device__ u32 most_of_block(u32 value) {
    __shared__ u32 most[WARPS];
    for (int step = 16; step; step >>= 1) value = max(value, __shfl_xor_sync(ALL, value, step));
    if ((threadIdx.x & 31) == 0) most[threadIdx.x >> 5] = value;
    __syncthreads();
    for (int warp = 0; warp < WARPS; ++warp) value = max(value, most[warp]);
    __syncthreads();
    return value;
}

__device__ u32 least_of_block(u32 value) { return ~most_of_block(~value); }

// ------------------------------------------------------------------------------------------------ the counting bound

__device__ void show_state(const Game& game, const u16* list, int size, u32* planes, u32* finds) {
    const int words = (size + 31) >> 5;
    for (int place = threadIdx.x; place < words * game.stride; place += THREADS) planes[place] = 0;
    for (int place = threadIdx.x; place < GUESSES / 32; place += THREADS) finds[place] = 0;
    __syncthreads();
    for (int place = threadIdx.x; place < size; place += THREADS) {
        const int guess = game.finder[list[place]];
        const u64 tokens = game.tokens[guess];
        u32* row = planes + (place >> 5) * game.stride;
        for (int k = 0; k < game.letters; ++k) atomicOr(row + (tokens >> (8 * k) & 255), 1u << (place & 31));
        atomicOr(finds + (guess >> 5), 1u << (guess & 31));
    }
    __syncthreads();
}

/* Fill in how many secrets a guess gives each answer, two counts in a word, and behind them whether it finds one. */
__device__ __forceinline__ void count_answers(
    const Game& game, const u32* planes, const u32* finds, int size, int guess, u32* pairs
) {
    const u64 tokens = game.tokens[guess];
    const u32 finding = finds[guess >> 5] >> (guess & 31) & 1;
    u32 count[ANSWERS + 2];
#pragma unroll
    for (int answer = 0; answer < ANSWERS + 2; ++answer) count[answer] = 0;
    u32 token[LETTERS];
#pragma unroll
    for (int k = 0; k < LETTERS; ++k) token[k] = (u32)(tokens >> (8 * k)) & 255;
    const u32* end = planes + ((size + 31) >> 5) * game.stride;
#pragma unroll 1  // most states are of one word or two, and the code of all guesses has to stay in the cache
    for (const u32* row = planes; row < end; row += game.stride) {
        u32 ones = row[token[0]], twos = 0, fours = 0, eights = 0;
#pragma unroll
        for (int k = 1; k < LETTERS; k += 2) {  // two more letters at a time: a full adder, then the carries
            const u32 x = row[token[k]], y = k + 1 < LETTERS ? row[token[k + 1]] : 0;
            const u32 carry = (ones & x) | (ones & y) | (x & y);
            ones ^= x ^ y;
            eights ^= fours & twos & carry;
            fours ^= twos & carry;
            twos ^= carry;
        }
#pragma unroll
        for (int answer = 1; answer < ANSWERS; ++answer) {
            const u32 same = (answer & 1 ? ones : ~ones) & (answer & 2 ? twos : ~twos) &
                             (answer & 4 ? fours : ~fours) & (answer & 8 ? eights : ~eights);
            count[answer] += __popc(same);
        }
    }
    u32 rest = size - finding;
#pragma unroll
    for (int answer = 1; answer < ANSWERS; ++answer) {
        count[answer] -= answer == game.letters ? finding : 0;  // all letters in common, and not the secret itself
        rest -= count[answer];
    }
    count[0] = rest;
    count[ANSWERS] = finding;
#pragma unroll
    for (int pair = 0; pair < PAIRS; ++pair) pairs[pair] = count[2 * pair] | count[2 * pair + 1] << 16;
}

/* Score all guesses by counting (`kernels/bounds/counting.py`), and return the least score, twice, plus 1 if it is the
optimum of the state. The scores are written down where there is a row for them, and so is what is found within d. */
__device__ int score_guesses(const Game& game, Frame& frame, const u32* planes, const u32* finds, u16* scores) {
    const u32 size = frame.size;
    u32 pairs[EACH][PAIRS], sums[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        count_answers(game, planes, finds, size, i * THREADS + threadIdx.x, pairs[i]);
        sums[i] = 0;
    }
    u32 found = 1;  // within `depth` guesses, at most
    int depth = 1;
#pragma unroll 1
    for (;; ++depth) {
        const u32 cut = found | found << 16;
        u32 most = 0;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            u32 both = 0;  // neither half passes 16 bits: together they are no more than the secrets
#pragma unroll
            for (int pair = 0; pair < PAIRS; ++pair) both += __vminu2(pairs[i][pair], cut);
            const u32 by_now = (both & 0xFFFF) + (both >> 16);
            sums[i] += by_now;
            most = max(most, by_now);
        }
        found = most_of_block(most);
        if (threadIdx.x == 0 && depth < DEPTHS) frame.within[depth + 1] = found;
        if (found >= size || depth == DEPTHS) break;
    }
    if (threadIdx.x == 0) {
        frame.within[0] = 0;
        frame.within[1] = 1;
#pragma unroll 1
        for (int after = depth + 2; after <= DEPTHS; ++after) frame.within[after] = size;
    }
    u32 least = NO_GUESS;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        u32 largest = 0;
#pragma unroll
        for (int pair = 0; pair < PAIRS; ++pair) largest = __vmaxu2(largest, pairs[i][pair]);
        largest = max(largest & 0xFFFF, largest >> 16);
        const u32 finding = pairs[i][ANSWERS / 2] >> (16 * (ANSWERS & 1)) & 0xFFFF;
        const u32 score = largest == size ? NEVER : (depth + 2) * size - finding - sums[i];
        if (scores != nullptr) scores[i * THREADS + threadIdx.x] = score;
        least = min(least, score << 1 | (largest > FEW));
    }
    return least_of_block(least) ^ 1;
}

// ----------------------------------------------------------------------------------------------- the memo: one warp

__device__ u64 key_of(const u16* list, int size) {  // a hash of a state, never believed
    u64 key = 0;
    for (int place = threadIdx.x & 31; place < size; place += 32) {
        u64 mixed = (list[place] + 1) * 0x9E3779B97F4A7C15ull;
        mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9ull;
        key += mixed ^ mixed >> 32;
    }
    for (int step = 16; step; step >>= 1) key += __shfl_xor_sync(ALL, key, step);
    return key;
}

/* The place of a state that was searched to so many plies, or NOTHING; it is compared secret by secret. */
__device__ int place_of(const Memo& memo, u64 key, const u16* list, int size, int plies) {
    const int lane = threadIdx.x & 31, first = (key >> 8) & (memo.slots - BUCKET);
    const Entry& mine = memo.entries[first + (lane & (BUCKET - 1))];
    const bool alike = lane < BUCKET && mine.key == key && mine.size == size && mine.plies == plies &&
                       *memo.written <= mine.start + memo.room;
    for (u32 left = __ballot_sync(ALL, alike); left; left &= left - 1) {
        const int slot = first + __ffs(left) - 1;
        const u64 start = memo.entries[slot].start;
        bool same = true;
#pragma unroll 1
        for (int place = lane; place < size; place += 32)
            same = same && memo.pool[(start + place) & (memo.room - 1)] == list[place];
        if (__all_sync(ALL, same)) return slot;
    }
    return NOTHING;
}

/* Twice the bound of a state, cut at the target, plus 1 if it is the optimum; or NOTHING. */
__device__ int recall(const Memo& memo, const u16* list, int size, int plies, int target) {
    const int slot = place_of(memo, key_of(list, size), list, size, plies);
    if (slot == NOTHING) return NOTHING;
    const Entry& known = memo.entries[slot];
    if (known.bound >= target) return 2 * target;
    return known.told == AT_LEAST ? NOTHING : 2 * known.bound + (known.told == SETTLED);
}

/* Keep what a search found of a state. The oldest state of the bucket makes room, and secrets written long ago. */
__device__ void remember(const Memo& memo, const u16* list, int size, int plies, int target, int found) {
    if (size > (int)memo.room) return;
    const int lane = threadIdx.x & 31, bound = found >> 1;
    const u8 told = found & 1 ? SETTLED : bound < target ? WHOLE : AT_LEAST;
    const u64 key = key_of(list, size);
    int slot = place_of(memo, key, list, size, plies);
    if (slot == NOTHING) {
        const u64 start = *memo.written;
        slot = (key >> 8) & (memo.slots - BUCKET);
        for (int other = slot + 1, last = slot + BUCKET; other < last; ++other) {
            const Entry& old = memo.entries[slot];
            if (old.size && (!memo.entries[other].size || memo.entries[other].start < old.start)) slot = other;
        }
        __syncwarp();  // all have read what is overwritten now
        for (int place = lane; place < size; place += 32) memo.pool[(start + place) & (memo.room - 1)] = list[place];
        if (lane == 0) {
            *memo.written = start + size;
            memo.entries[slot] = Entry{key, start, 0, (u16)size, (u8)plies, AT_LEAST};
        }
    }
    __syncwarp();
    if (lane == 0 && bound >= memo.entries[slot].bound) {
        memo.entries[slot].bound = bound;
        memo.entries[slot].told = max(memo.entries[slot].told, told);
    }
    __syncwarp();
}

// ---------------------------------------------------------------------------------------- the search, one warp or thread

__device__ int least_total(const Frame& frame, int secrets) {  // what so many of a state's secrets cost at least
    int total = 0;
#pragma unroll 1
    for (int depth = 0; depth <= DEPTHS && secrets > frame.within[depth]; ++depth) total += secrets - frame.within[depth];
    return total;
}

/* Set up the parts that a guess makes, whose sizes are known, with the bounds that counting gives them. */
__device__ void set_up_parts(Frame& frame) {
    int begin = 0;
    frame.parts = 0;
#pragma unroll 1
    for (int answer = 0; answer < ANSWERS; ++answer) {
        const int size = frame.part_size[answer];
        frame.part_begin[answer] = begin;
        begin += size;
        frame.part_bound[answer] = least_total(frame, size);
        frame.part_settled[answer] = size <= FEW;
        frame.part_open[answer] = size > FEW;
        if (size <= FEW) continue;
        int place = frame.parts++;
#pragma unroll 1
        for (; place > 0 && frame.part_size[frame.part[place - 1]] < size; --place) frame.part[place] = frame.part[place - 1];
        frame.part[place] = answer;
    }
    frame.depth = 1;
    frame.turn = frame.place = 0;
}

/* Put the secrets of a state into the list below, those of one answer side by side and in their order: one warp. */
__device__ void split(const Game& game, Frame& frame, const u16* list, u16* below, int guess) {
    const int lane = threadIdx.x & 31, size = frame.size;
    const u8* row = game.answers + (u64)guess * game.secrets;
    int place[ANSWERS];  // how many secrets get each answer, then where the next of them goes
#pragma unroll
    for (int answer = 0; answer < ANSWERS; ++answer) place[answer] = 0;
#pragma unroll 1
    for (int first = 0; first < size; first += 32) {
        const int reply = first + lane < size ? row[list[first + lane]] : ANSWERS;
#pragma unroll
        for (int answer = 0; answer < ANSWERS; ++answer) place[answer] += __popc(__ballot_sync(ALL, reply == answer));
    }
    int begin = 0;
#pragma unroll
    for (int answer = 0; answer < ANSWERS; ++answer) {
        const int count = place[answer];
        if (lane == 0) frame.part_size[answer] = count;
        place[answer] = begin;
        begin += count;
    }
    if (lane == 0) set_up_parts(frame);
#pragma unroll 1
    for (int first = 0; first < size; first += 32) {
        const u16 secret = first + lane < size ? list[first + lane] : 0;
        const int reply = first + lane < size ? row[secret] : ANSWERS;
#pragma unroll
        for (int answer = 0; answer < ANSWERS; ++answer) {
            const u32 alike = __ballot_sync(ALL, reply == answer);
            if (reply == answer) below[place[answer] + __popc(alike & ((1u << lane) - 1))] = secret;
            place[answer] += __popc(alike);
        }
    }
    __syncwarp();
}

/* Set what is to be asked of a part: its share of what the guess is short of the best so far, or all of that. */
__device__ void ask_of_part(Frame& frame, int answer) {
    long long missing = frame.best - frame.total;
    const int bound = frame.part_bound[answer];
    if (frame.turn == 0 && frame.depth > 1) {
        long long weight = 0;
        for (int place = 0; place < frame.parts; ++place)
            if (frame.part_open[frame.part[place]]) weight += frame.part_bound[frame.part[place]];
        missing = (missing * bound + weight - 1) / weight;
    }
    frame.answer = answer;
    frame.asked = bound + (int)missing;
}

/* Tell whether a level has another part to ask. To each number of guesses there are two turns: first each open part is
asked for a share of what is missing, then for all of it. To one guess a part's whole bound is worked out anyway. */
__device__ bool next_part(Frame& frame) {
    while (frame.total < frame.best && frame.depth < frame.plies) {
        if (frame.place == frame.parts) {
            frame.place = 0;
            if (++frame.turn == 2 || frame.depth == 1) {
                frame.turn = 0;
                ++frame.depth;
                for (int place = 0; place < frame.parts; ++place)
                    frame.part_open[frame.part[place]] = !frame.part_settled[frame.part[place]];
            }
            continue;
        }
        const int answer = frame.part[frame.place++];
        if (frame.part_open[answer]) {
            ask_of_part(frame, answer);
            return true;
        }
    }
    return false;
}

__device__ void take_answer(Frame& frame, int found) {  // of the part that was asked
    const int answer = frame.answer, gain = max(0, (found >> 1) - frame.part_bound[answer]);
    frame.part_bound[answer] += gain;
    frame.total += gain;
    frame.part_settled[answer] |= found & 1;
    if (found >> 1 < frame.asked || found & 1) frame.part_open[answer] = 0;
}

__device__ void take_guess(Frame& frame) {  // whose parts were all asked, or which is given up
    if (frame.total >= frame.best) return;
    frame.best = frame.total;
    frame.settled = 1;
    for (int answer = 0; answer < ANSWERS; ++answer) frame.settled &= frame.part_settled[answer];
}

/* The key of the guess to be tried next, or NO_GUESS: its score is below the best so far. A key has the order of the
score, how far it is above the least, and below that the guess: of those with the same score the first comes first. */
__device__ u32 next_guess(Frame& frame, const u16* scores) {
    if (threadIdx.x == 0) take_guess(frame);
    __syncthreads();
    const u32 best = min((u32)frame.best, NEVER), least = frame.least, next = frame.next;
    u32 first = NO_GUESS;
#pragma unroll 4
    for (int guess = threadIdx.x; guess < GUESSES; guess += THREADS) {
        const u32 score = scores[guess], key = min(score - least, STEPS) << 16 | guess;
        if (score < best && key >= next) first = min(first, key);
    }
    first = least_of_block(first);
    if (threadIdx.x == 0 && first != NO_GUESS) {
        frame.next = first + 1;
        frame.total = scores[first & 0xFFFF];
    }
    return first;
}

/* Search states for bounds until the queue is empty, the work is done that may be, or the flag is raised.

A search that is cut off leaves its frames behind; the block with its number goes on with it in the next launch. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) search_states(
    const u64* tokens, const u8* answers, const int* finder, int secrets, int letters, int stride,
    const u16* members,     // of all tasks
    const long long* ends,  // [tasks + 1], where those of each task begin and end
    const int* plies, const int* targets, const int* tickets, int tasks,
    int* counters,          // NEXT_TASK and FINISHED
    int* finished,          // [tasks + blocks, 2], the ticket of each finished task and what was found
    int levels, int most,   // no task has more plies or secrets
    u16* lists,             // [blocks, levels, most]
    u16* scores,            // [blocks, levels, GUESSES]
    int* saved,             // [blocks, SAVED_HEAD + levels * FRAME_WORDS]
    Entry* entries,         // [blocks, 2, slots]: states searched to two plies, and to more
    u16* pools,             // [blocks, 2, room]
    u64* written,           // [blocks, 2]
    int slots, int room,
    long long work,         // how much each block may do; to score a guess by one word of planes is about 1
    const volatile int* stop
) {
    const Game game = {tokens, answers, finder, secrets, letters, stride};
    const u64 block = blockIdx.x;
    lists += block * levels * most;
    scores += block * levels * GUESSES;
    saved += block * (SAVED_HEAD + levels * FRAME_WORDS);
    entries += block * 2 * slots;
    pools += block * 2 * room;
    written += block * 2;
    Frame* frames = (Frame*)shared_room;
    u32* finds = (u32*)(frames + levels);
    u32* planes = finds + GUESSES / 32;

    int level = saved[0] - 1, ticket = saved[1], looks = 0, stopped = 0;
    for (int place = threadIdx.x; level >= 0 && place < levels * FRAME_WORDS; place += THREADS)
        ((int*)frames)[place] = saved[SAVED_HEAD + place];
    __syncthreads();
    while (work > 0) {
        if (level < 0) {
            const int task = from_first(threadIdx.x == 0 ? atomicAdd(counters + NEXT_TASK, 1) : 0);
            if (task >= tasks) break;
            const long long begin = ends[task];
            const int size = (int)(ends[task + 1] - begin);
            for (int place = threadIdx.x; place < size; place += THREADS) lists[place] = members[begin + place];
            if (threadIdx.x == 0) {
                frames[0].size = size;
                frames[0].begin = 0;
                frames[0].plies = plies[task];
                frames[0].target = targets[task];
            }
            ticket = tickets[task];
            level = 0;
            __syncthreads();
        }
        // The state of this level comes next.
        if (looks-- == 0) {
            looks = LOOKS;
            stopped = from_first(threadIdx.x == 0 ? *stop : 0);
        }
        if (stopped) break;
        Frame* frame = frames + level;
        const u16* list = lists + level * most + frame->begin;
        u16* row = frame->plies > 1 ? scores + level * GUESSES : nullptr;
        const int size = frame->size;
        int found = NOTHING;
        if (size <= FEW) {
            found = 2 * min(size * (size + 1) / 2, frame->target) + (size * (size + 1) / 2 < frame->target);
        } else if (frame->plies > 1) {
            const int which = frame->plies > 2;
            const Memo memo = {entries + which * slots, pools + which * room, written + which, (u32)slots, (u32)room};
            if (threadIdx.x < 32) found = recall(memo, list, size, frame->plies, frame->target);
            found = from_first(found);
        }
        if (found == NOTHING) {
            show_state(game, list, size, planes, finds);
            found = score_guesses(game, *frame, planes, finds, row);
            work -= EACH * (((size + 31) >> 5) + 4);
            if (found >> 1 >= frame->target) {
                found = 2 * frame->target;
            } else if (row != nullptr && !(found & 1)) {
                if (threadIdx.x == 0) {
                    frame->least = found >> 1;
                    frame->best = frame->total = frame->target;
                    frame->settled = frame->next = 0;
                    frame->depth = frame->plies;
                }
                found = SEARCHED;
                __syncthreads();
            }
        }
        // Back up to a level that has another part to ask, or to the end.
        for (;;) {
            frame = frames + level;
            if (found == SEARCHED) {
                if (from_first(threadIdx.x == 0 ? next_part(*frame) : 0)) break;
                const u32 key = next_guess(*frame, scores + level * GUESSES);
                list = lists + level * most + frame->begin;
                if (key != NO_GUESS) {
                    if (threadIdx.x < 32) split(game, *frame, list, lists + (level + 1) * most, key & 0xFFFF);
                    continue;
                }
                found = 2 * frame->best + (frame->best < frame->target ? frame->settled : 0);
                const int which = frame->plies > 2;
                const Memo memo = {entries + which * slots, pools + which * room, written + which, (u32)slots, (u32)room};
                if (threadIdx.x < 32) remember(memo, list, frame->size, frame->plies, frame->target, found);
                __syncthreads();
            }
            if (level == 0) break;
            --level;
            if (threadIdx.x == 0) take_answer(frames[level], found);
            found = SEARCHED;
        }
        if (found != SEARCHED) {  // the task is finished
            if (threadIdx.x == 0) {
                const int place = atomicAdd(counters + FINISHED, 1);
                finished[2 * place] = ticket;
                finished[2 * place + 1] = found;
            }
            level = -1;
            __syncthreads();
            continue;
        }
        if (threadIdx.x == 0) {  // go into the part that is asked
            frames[level + 1].size = frame->part_size[frame->answer];
            frames[level + 1].begin = frame->part_begin[frame->answer];
            frames[level + 1].plies = frame->depth;
            frames[level + 1].target = frame->asked;
        }
        ++level;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        saved[0] = level + 1;
        saved[1] = ticket;
    }
    for (int place = threadIdx.x; level >= 0 && place < levels * FRAME_WORDS; place += THREADS)
        saved[SAVED_HEAD + place] = ((int*)frames)[place];
}
