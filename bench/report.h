// The rows of a benchmark run: an aligned table on the terminal, and JSON.
#ifndef CARDAN_BENCH_REPORT_H
#define CARDAN_BENCH_REPORT_H

#include <string>
#include <vector>

namespace bench {

struct Row {
  std::string name, unit;
  double ours, peer;
  std::string peer_name; // not a number in `peer`: the peer cannot
};

class Report {
public:
  // One line of the table: a value and its ratio to ours for every peer, each a row of the file.
  void add(const std::string &name, const std::string &unit, const std::vector<double> &values,
           const std::vector<std::string> &engines);
  // A row that is printed elsewhere.
  void keep(const std::string &name, const std::string &unit, double ours, double peer, const std::string &peer_name);
  void print_header(const std::string &title, const std::vector<std::string> &engines) const;
  // False if the file cannot be written.
  bool write_json(const std::string &path) const;

private:
  std::vector<Row> rows;
};

} // namespace bench

#endif
