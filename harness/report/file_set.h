// Files that replace earlier ones together.
#ifndef DLPC_HARNESS_REPORT_FILE_SET_H_
#define DLPC_HARNESS_REPORT_FILE_SET_H_

#include <string>
#include <utility>
#include <vector>

#include "reference/expected.h"

namespace dlpc {

/// Until all are written, which is where a full disk shows, the earlier files stay as they are.
class FileSet {
 public:
  FileSet() = default;
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;
  ~FileSet();  // What was not committed is removed.

  Status Add(const std::string& path, const std::string& contents);
  Status Commit();

 private:
  std::vector<std::pair<std::string, std::string>> staged_;  // Temporary name, name.
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_FILE_SET_H_
