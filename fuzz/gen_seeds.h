// Seeds of the targets whose inputs are not scripts or tensors.
#ifndef DLPC_FUZZ_GEN_SEEDS_H_
#define DLPC_FUZZ_GEN_SEEDS_H_

#include <string>
#include <vector>

namespace dlpc {

struct Seed {
  std::string target;
  std::string name;
  std::string bytes;
};
std::vector<Seed> OtherSeeds();

}  // namespace dlpc

#endif  // DLPC_FUZZ_GEN_SEEDS_H_
