// The rows of a benchmark run.
#include "report.h"

#include <cmath>
#include <cstdio>

namespace bench {

static void print_number(double value, int width, int decimals) {
  if (std::isnan(value)) std::printf(" %*s", width, "-");
  else std::printf(" %*.*f", width, decimals, value);
}

void Report::print_header(const std::string &title, const std::vector<std::string> &engines) const {
  std::printf("\n%-28s %10s", title.c_str(), engines[0].c_str());
  for (size_t i = 1; i < engines.size(); i++) std::printf(" %14s %7s", engines[i].c_str(), "ratio");
  std::printf("\n");
}

void Report::add(const std::string &name, const std::string &unit, const std::vector<double> &values,
                 const std::vector<std::string> &engines) {
  bool exponent = unit == "exponent";
  std::printf("%-28s", name.c_str());
  print_number(values[0], 10, exponent ? 2 : 1);
  for (size_t i = 1; i < values.size(); i++) {
    print_number(values[i], 14, exponent ? 2 : 1);
    print_number(exponent ? NAN : values[0] / values[i], 7, 3);
    rows.push_back({ name, unit, values[0], values[i], engines[i] });
  }
  std::printf("\n");
  std::fflush(stdout);
}

void Report::keep(const std::string &name, const std::string &unit, double ours, double peer,
                  const std::string &peer_name) {
  rows.push_back({ name, unit, ours, peer, peer_name });
}

static void write_number(std::FILE *file, double value) {
  if (std::isfinite(value)) std::fprintf(file, "%.6g", value);
  else std::fputs("null", file);
}

bool Report::write_json(const std::string &path) const {
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  std::fputs("[\n", file);
  for (size_t i = 0; i < rows.size(); i++) {
    const Row &row = rows[i];
    std::fprintf(file, "  {\"name\": \"%s\", \"unit\": \"%s\", \"ours\": ", row.name.c_str(), row.unit.c_str());
    write_number(file, row.ours);
    std::fputs(", \"peer\": ", file);
    write_number(file, row.peer);
    std::fprintf(file, ", \"peer_name\": \"%s\", \"ratio\": ", row.peer_name.c_str());
    write_number(file, row.ours / row.peer);
    std::fprintf(file, "}%s\n", i + 1 < rows.size() ? "," : "");
  }
  std::fputs("]\n", file);
  return std::fclose(file) == 0;
}

} // namespace bench
