// Units per item with a given mean, standard deviation and maximum: the curve of the generator `shape`
// (crates/graph/src/generate/shape.rs, which explains it), with other random numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

struct Shape {
    const char* name;
    unsigned long long items;
    double mean, deviation;
    unsigned long long max;
};

// The inputs of chapter 5 of Busato's thesis.
inline const Shape SHAPES[] = {
    {"gb-osm", 7733822, 2.1, 0.5, 8},        {"patents", 3774768, 4.8, 7.5, 770},
    {"notredame", 325729, 5.2, 21.4, 3445},  {"regular8", 1000000, 8, 0, 8},
    {"circuit", 5558326, 10.7, 1356.6, 1290501}, {"skitter", 1696415, 13.1, 136.9, 35455},
    {"kron20", 1048576, 96.2, 1033.1, 413378},
};

inline const Shape* find_shape(const char* name) {
    for (const Shape& shape : SHAPES)
        if (!strcmp(shape.name, name)) return &shape;
    return nullptr;
}

struct Curve {
    double slope, shift, max, deviation;
    static double value(double weight, double shift, double max) {
        return std::clamp(shift + (max - shift) * weight, 1.0, max);
    }
};

// The curve of this slope that has the wanted mean.
inline Curve with_mean(const Shape& shape, double slope) {
    std::vector<std::pair<double, double>> bins;
    for (unsigned long long rank = 0, length; rank < shape.items; rank += length) {
        length = std::min(std::max(rank / 200, 1ull), shape.items - rank);
        bins.push_back({std::pow(rank + 0.5 * (length - 1) + 1, -slope), (double)length});
    }
    double low = -(double)shape.max * 1e5 - 1, high = (double)shape.max, mean = 0, square = 0;
    const auto moments = [&](double shift) {
        double items = 0, sum = 0, squares = 0;
        for (const auto& [weight, count] : bins) {
            const double units = Curve::value(weight, shift, (double)shape.max), part = units - std::floor(units);
            items += count, sum += count * units, squares += count * (units * units + part * (1 - part));
        }
        mean = sum / items, square = squares / items;
    };
    for (int step = 0; step < 80; ++step) {
        const double shift = 0.5 * (low + high);
        moments(shift);
        (mean < shape.mean ? low : high) = shift;
    }
    moments(high);
    return {slope, high, (double)shape.max, std::sqrt(std::max(0.0, square - mean * mean))};
}

inline unsigned long long mixed(unsigned long long x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// The first unit of every item, and the number of units.
inline std::vector<unsigned> offsets(const Shape& shape) {
    double flat = 0.01, steep = 64;
    for (int step = 0; step < 60; ++step) {
        const double slope = std::sqrt(flat * steep);
        (with_mean(shape, slope).deviation > shape.deviation ? flat : steep) = slope;
    }
    const Curve curve = with_mean(shape, steep);
    // A prime that divides no number of items: multiples of it visit every rank once.
    const unsigned long long STEP = 2654435761ull;
    std::vector<unsigned> first(shape.items + 1, 0);
    for (unsigned long long i = 0; i < shape.items; ++i) {
        const double rank = (double)(i * STEP % shape.items) + 1;
        const double chance = (double)(mixed(i + 12345) >> 11) / (double)(1ull << 53);
        const double units = Curve::value(std::pow(rank, -curve.slope), curve.shift, curve.max);
        first[i + 1] = first[i] + (unsigned)(units + chance);
    }
    return first;
}
