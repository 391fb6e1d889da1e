#include "harness/benchmarks/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dlpc {
namespace {

// Of sorted values, with interpolation; 0 <= part <= 1.
double Quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(place);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return Quantile(values, 0.5);
}

double RelativeSpread(const std::vector<double>& values) {
  if (values.size() < 4) return 0;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double middle = Quantile(sorted, 0.5);
  return middle > 0 ? (Quantile(sorted, 0.75) - Quantile(sorted, 0.25)) / 2 / middle : 0;
}

double MannWhitneyP(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return 1;
  std::vector<std::pair<double, bool>> all;  // Value, and whether it is of a.
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double ranks_of_a = 0, ties = 0;
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const double rank = static_cast<double>(i + 1 + end) / 2;  // The mean of i + 1 to end.
    for (size_t k = i; k < end; ++k) ranks_of_a += all[k].second ? rank : 0;
    const auto count = static_cast<double>(end - i);
    ties += count * count * count - count;
    i = end;
  }
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  const double n = na + nb;
  const double u = ranks_of_a - na * (na + 1) / 2;
  const double variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
  if (variance <= 0) return 1;
  const double z = std::max(0.0, std::abs(u - na * nb / 2) - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

double LogSlope(const std::vector<std::pair<double, double>>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    if (x <= 0 || y <= 0) continue;
    const double lx = std::log(x), ly = std::log(y);
    n += 1;
    sx += lx;
    sy += ly;
    sxx += lx * lx;
    sxy += lx * ly;
  }
  const double below = n * sxx - sx * sx;
  return n < 2 || below <= 0 ? 0 : (n * sxy - sx * sy) / below;
}

}  // namespace dlpc
