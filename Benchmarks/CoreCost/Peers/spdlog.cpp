// spdlog <sync|async> <threads> <rate|paced> <lines> <log file> <rows file>     lines into a file
// spdlog disabled <calls> <rows file>                                           calls below the logger's level
#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_TRACE
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include "Counters.h"
}

static void row(const char *path, const std::string &name, const char *metric, double value) {
    FILE *file = fopen(path, "a");
    fprintf(file, "%s\t%s\t%.6g\n", name.c_str(), metric, value);
    fclose(file);
}

static double nanosecondsPerTick() {
    uint64_t time = counters_nanoseconds(), ticks = counters_ticks();
    while (counters_nanoseconds() - time < 20000000) {}
    return double(counters_nanoseconds() - time) / double(counters_ticks() - ticks);
}

int main(int, char **argv) {
    std::string kind = argv[1];
    if (kind == "disabled") {
        auto logger = spdlog::null_logger_mt("disabled");
        logger->set_level(spdlog::level::warn);
        auto *raw = logger.get();
        long calls = atol(argv[2]);
        uint64_t start = counters_processor_nanoseconds();
        for (long i = 0; i < calls; i++) {
            counters_use(i);
            SPDLOG_LOGGER_DEBUG(raw, "request {}", calls);
        }
        row(argv[3], "spdlog disabled", "ns", double(counters_processor_nanoseconds() - start) / double(calls));
        return 0;
    }
    int threads = atoi(argv[2]), lines = atoi(argv[4]), each = lines / threads;
    bool paced = std::string(argv[3]) == "paced";
    auto logger = kind == "async" ? spdlog::basic_logger_mt<spdlog::async_factory>("file", argv[5], true)
                                  : spdlog::basic_logger_mt("file", argv[5], true);
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e [%l] [%t] [%s:%#] %v");
    auto *raw = logger.get();
    auto log = [raw](int i) {
        SPDLOG_LOGGER_INFO(
            raw, "request {} of user {} finished: GET /api/v2/orders/confirm status 200 bytes {} cache miss retry no", i,
            (i * 7) % 100000, 200 + (i & 1023) * 37);
    };
    double scale = nanosecondsPerTick();
    std::vector<uint32_t> ticks(paced ? each * threads : 0);
    std::vector<std::thread> workers;
    uint64_t start = counters_nanoseconds(), processor = counters_processor_nanoseconds();
    for (int thread = 0; thread < threads; thread++)
        workers.emplace_back([&, thread] {
            if (!paced) {
                for (int i = 0; i < each; i++) log(i);
                return;
            }
            for (int i = 0; i < each; i++) {
                uint64_t before = counters_ticks();
                log(i);
                ticks[size_t(thread) * each + i] = uint32_t(counters_ticks() - before);
                if (i % 20 == 19) std::this_thread::sleep_for(std::chrono::microseconds(300));
            }
        });
    for (auto &worker : workers) worker.join();
    if (kind == "async") {
        logger.reset();
        spdlog::shutdown();
    } else {
        logger->flush();
    }
    std::string name = "spdlog " + kind + " " + std::to_string(threads);
    if (!paced) {
        row(argv[6], name, "lines/s", each * threads * 1e9 / double(counters_nanoseconds() - start));
        row(argv[6], name, "cpu", double(counters_processor_nanoseconds() - processor) / (each * threads));
        return 0;
    }
    std::sort(ticks.begin(), ticks.end());
    double low = 0;
    size_t most = ticks.size() * 99 / 100;
    for (size_t i = 0; i < most; i++) low += ticks[i];
    row(argv[6], name, "tmean", low / double(most) * scale);
    row(argv[6], name, "p99.9", ticks[ticks.size() * 999 / 1000] * scale);
}
