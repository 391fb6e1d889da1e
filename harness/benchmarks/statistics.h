// What is made of repeated timings.
#ifndef DLPC_HARNESS_BENCHMARKS_STATISTICS_H_
#define DLPC_HARNESS_BENCHMARKS_STATISTICS_H_

#include <utility>
#include <vector>

namespace dlpc {

/// Between the two middle values where their number is even; 0 of none.
double Median(std::vector<double> values);

/// Half the distance of the quartiles over the median: how far a typical repetition is off. 0 for
/// fewer than four values.
double RelativeSpread(const std::vector<double>& values);

/// Two-sided p of the Mann-Whitney U test (normal approximation with corrections for ties and
/// continuity): how likely are samples at least so different if both are of one distribution?
double MannWhitneyP(const std::vector<double>& a, const std::vector<double>& b);

/// Least squares slope of log(y) over log(x): the exponent of a power law. Points that are not
/// positive are left out; 0 of fewer than two.
double LogSlope(const std::vector<std::pair<double, double>>& points);

}  // namespace dlpc

#endif  // DLPC_HARNESS_BENCHMARKS_STATISTICS_H_
