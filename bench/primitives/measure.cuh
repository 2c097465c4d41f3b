// What the programs of this folder have in common: checked calls, times by events of the device, energy by the counter
// of the driver, and one line of a table per variant.
//
// Modes: `time` (median of batches), `energy SECONDS` (a steady loop of at least that long, begun and ended at a tick
// of the energy counter), `once` (one run per variant for a profiler; tells how many kernels each one launches).
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        const cudaError_t error_ = (call);                                                             \
        if (error_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));            \
            exit(1);                                                                                   \
        }                                                                                              \
    } while (0)

// The management library of the driver, loaded at run time; without it energies are 0.
struct Nvml {
    struct FieldValue {
        unsigned field, scope;
        long long timestamp, latency;
        unsigned type, status;
        union { double real; unsigned whole; unsigned long long wide; } value;
    };
    void* device = nullptr;
    int (*total_energy)(void*, unsigned long long*) = nullptr;
    int (*field_values)(void*, int, FieldValue*) = nullptr;
    int (*clock_info)(void*, int, unsigned*) = nullptr;

    Nvml() {
        void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        if (!library) return;
        const auto init = (int (*)())dlsym(library, "nvmlInit_v2");
        const auto handle = (int (*)(unsigned, void**))dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
        if (!init || !handle || init() != 0 || handle(0, &device) != 0) return;
        total_energy = (int (*)(void*, unsigned long long*))dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
        field_values = (int (*)(void*, int, FieldValue*))dlsym(library, "nvmlDeviceGetFieldValues");
        clock_info = (int (*)(void*, int, unsigned*))dlsym(library, "nvmlDeviceGetClockInfo");
    }
    // Millijoules since the driver was loaded.
    unsigned long long energy() const {
        unsigned long long value = 0;
        if (total_energy) total_energy(device, &value);
        return value;
    }
    // Watts at this instant (NVML_FI_DEV_POWER_INSTANT), or 0.
    double power() const {
        FieldValue value{};
        value.field = 186;
        if (!field_values || field_values(device, 1, &value) != 0 || value.status != 0) return 0;
        return value.value.whole / 1000.0;
    }
    // Clock of the multiprocessors in MHz.
    unsigned clock() const {
        unsigned value = 0;
        if (clock_info) clock_info(device, 1, &value);
        return value;
    }
};

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Measure {
    std::string mode;
    double seconds = 1;
    Nvml nvml;
    int launches = 0;  // counted by the variants with `counted`

    Measure(int argc, char** argv) {
        mode = argc > 1 ? argv[1] : "time";
        if (mode == "energy" && argc > 2) seconds = atof(argv[2]);
        if (mode == "time") printf("group\tvariant\tinput\tmedian_ms\tmin_ms\tGB_per_s\tright\n");
        if (mode == "energy") printf("group\tvariant\tinput\tms\tjoules\twatts\tpeak_watts\tMHz\truns\twindow_s\n");
        if (mode == "once") printf("group\tvariant\tinput\tkernels\n");
    }

    // One variant: `run` launches everything once, `right` looks at the result of a run.
    void variant(const char* group, const char* name, const char* input, double bytes, const std::function<void()>& run,
                 const std::function<bool()>& right) {
        if (mode == "once") {
            launches = 0;
            run();
            CHECK(cudaDeviceSynchronize());
            printf("%s\t%s\t%s\t%d\n", group, name, input, launches);
        } else if (mode == "energy") {
            energy(group, name, input, run);
        } else {
            const bool fine = right();
            CHECK(cudaDeviceSynchronize());
            const std::vector<double> times = batches(run);
            const double median = times[times.size() / 2];
            printf("%s\t%s\t%s\t%.6f\t%.6f\t%.1f\t%s\n", group, name, input, median, times[0], bytes / median / 1e6,
                   fine ? "yes" : "NO");
        }
        fflush(stdout);
    }

    // Sorted milliseconds of a run, from batches of about 4 ms.
    std::vector<double> batches(const std::function<void()>& run) {
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        const auto batch = [&](int runs) {
            float ms;
            CHECK(cudaEventRecord(begin));
            for (int i = 0; i < runs; ++i) run();
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            return ms / runs;
        };
        const double guess = batch(1);
        if (guess > 20) return {guess};
        const int runs = std::max(1, std::min(500, (int)(4 / guess)));
        batch(std::min(runs, 20));
        std::vector<double> times;
        for (int i = 0; i < 3; ++i) times.push_back(batch(runs));
        std::sort(times.begin(), times.end());
        CHECK(cudaEventDestroy(begin));
        CHECK(cudaEventDestroy(end));
        return times;
    }

    // A steady loop. A call of the energy counter takes milliseconds, so batches of 25 ms are queued two deep and the
    // counter is asked while they run: the device never waits for the host. Power is the difference of two ticks of the
    // counter over the time between them, the time of a run that of whole batches.
    void energy(const char* group, const char* name, const char* input, const std::function<void()>& run) {
        cudaEvent_t mark[2];
        for (auto& event : mark) CHECK(cudaEventCreate(&event));
        const double guess = batches(run)[0];  // also warms up
        const int runs = std::max(1, (int)(25 / guess));
        const auto submit = [&](int at) {
            for (int i = 0; i < runs; ++i) run();
            CHECK(cudaEventRecord(mark[at]));
        };
        submit(0);
        unsigned long long last = nvml.energy(), start_energy = 0, end_energy = 0;
        const double begun = now();
        double start = 0, end = 0, peak = 0, first_batch = 0, last_batch = 0;
        long long batches_done = 0;
        for (int at = 0; end == 0; at = 1 - at) {
            submit(1 - at);
            cudaError_t state;
            do {
                const unsigned long long energy = nvml.energy();
                const double time = now();
                const bool tick = energy != last;
                last = energy;
                if (start == 0 && time - begun > 0.25 * seconds && (tick || time - begun > 0.25 * seconds + 0.3)) {
                    start = time, start_energy = energy;
                } else if (start > 0 && end == 0 && time - start >= seconds && (tick || time - start > seconds + 0.3)) {
                    end = time, end_energy = energy;
                }
                peak = std::max(peak, nvml.power());
                state = cudaEventQuery(mark[at]);
            } while (state == cudaErrorNotReady);
            CHECK(state);
            last_batch = now();
            if (first_batch == 0) first_batch = last_batch;
            else ++batches_done;
        }
        CHECK(cudaDeviceSynchronize());
        const double count = (double)batches_done * runs, ms = (last_batch - first_batch) * 1e3 / count;
        const double watts = (end_energy - start_energy) / 1000.0 / (end - start);
        printf("%s\t%s\t%s\t%.6f\t%.8f\t%.1f\t%.1f\t%u\t%.0f\t%.3f\n", group, name, input, ms, watts * ms / 1e3, watts,
               peak, nvml.clock(), count, end - start);
        for (auto& event : mark) CHECK(cudaEventDestroy(event));
    }
};

inline int resident_blocks(const void* kernel, int block, size_t shared = 0) {
    int per_processor = 0, processors = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, block, shared));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    return std::max(1, per_processor) * processors;
}
