// What an adaptive schedule knows about its steps. Every thread has its own copy, and all of them are equal.
#pragma once

namespace gw {

struct Steps {
    double vertices = 0, edges = 0;
    double frontier = 0, frontier_edges = 0;
    double discovered = 0, explored = 0, previous = 0, iteration = 0;
    // The candidate of the last step; -1 before the first.
    int current = -1;

    // A step begins with a frontier of this size.
    __device__ __forceinline__ void begin(double all_vertices, double all_edges, double size, double out_edges) {
        if (current >= 0) {
            discovered += frontier;
            explored += frontier_edges;
            previous = frontier;
            iteration += 1;
        }
        vertices = all_vertices;
        edges = all_edges;
        frontier = size;
        frontier_edges = out_edges;
    }

    __device__ __forceinline__ static double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

    __device__ __forceinline__ double unexplored() const {
        const double left = edges - (explored + frontier_edges);
        return left < 0 ? 0 : left;
    }

    __device__ __forceinline__ double growth() const { return previous == 0 ? 1 : frontier / previous; }
};

}  // namespace gw
