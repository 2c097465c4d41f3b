// A sorted batch of changes, applied to lists in blocks (blocks.cuh) by all threads of a grid. Six steps, a barrier of
// the grid between each two:
//
//   find     the last change of every edge counts; a binary search says whether the edge is there, and so whether the
//            change does anything (an insertion of an edge that is there, a deletion of one that is not: nothing)
//   gather   changes that do something stand side by side, grouped by source: the operations of a list
//   plan     per list: its new length, whether its block still suits, and who merges it
//   settle   lists that move get blocks, from the stacks of free ones or of slots never used; ranges are written
//   merge    short lists by a thread, longer ones by eight lanes, a warp or a block of threads, in place from behind
//            (insertions) or from the front (deletions) or into the new block; long lists that move by many blocks of
//            threads
//   finish   counts of the pool
//
// Where the pool lacks slots, all blocks end after `plan`; the host makes it larger and launches the rest.
//
// Bytes per change with its 8-byte key: 8 read and 4 written to find, beside a search; 12 read and 12 written to
// gather; about 170 per list that changes; and 8 per neighbour that moves.
#pragma once
#include "blocks.cuh"
#include "grid.cuh"
#include "scan.cuh"

namespace gw {

constexpr unsigned NOTHING = 0xffffffffu;      // the change does nothing

// Moved neighbours and operations of a list at most, for a thread, a few lanes, a warp, a block of threads.
constexpr unsigned THREAD_WORK = 12, LANES_WORK = 128, WARP_WORK = 1024, BLOCK_WORK = 1u << 14;
constexpr unsigned FEW_LANES = 8;
// What a block of threads moves at once of a list that several of them move.
constexpr unsigned MOVE_TILE = 2048;

enum Merger : unsigned { BY_LANES, BY_WARP, BY_BLOCK, TEAMS, BY_THREAD, BY_GRID, BY_NOBODY };
enum Way : unsigned { GROWS, SHRINKS, MOVES };

// A list that the batch may change.
template <class Offset> struct ChangedList {
    Offset old_first, new_first;
    unsigned old_length, new_length;
    unsigned rank;                 // of its new block among those of its size that are wanted
    unsigned old_rank;             // of its old block among those of its size that are returned
    unsigned char size, old_size;  // of the blocks
    unsigned char way, merger;
    bool moves_block;              // the list gets another block
    bool returns_block;            // its old one becomes free
};

template <class Offset> struct Batch {
    Pool<Offset> pool;
    const unsigned long long* keys;   // sorted
    const unsigned* values;           // weights; null without
    unsigned* found;                  // per key: twice the place in the list, and 1 to delete; or NOTHING
    unsigned* op_target;              // operations
    unsigned* op_place;               // as `found`
    unsigned* op_before;              // insertions before; one more entry, all insertions
    unsigned* op_weight;              // null without
    unsigned* source;                 // per list: its vertex
    unsigned* first_op;               // its first operation; one more entry, all operations
    ChangedList<Offset>* lists;
    unsigned* of_team[TEAMS];         // lists by the team that merges them
    unsigned long long* of_grid;      // that the grid moves: list << 32 | its first tile, ascending
    unsigned long long* sums;         // per block: keys that do something, those that insert, sources
    unsigned* counter;                // of the barrier
    alignas(8) unsigned count;        // keys
    alignas(8) unsigned resumes;      // goes on at `settle`
};

}  // namespace gw
