# Compares docs/mutants.md with what the kill matrix says now:
#   cmake -DCLI=... -DDOC=... -P mutants_doc.cmake
execute_process(COMMAND ${CLI} mutants --markdown OUTPUT_VARIABLE now RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the kill matrix is incomplete (see: dlpack-conformance mutants)\n${now}")
endif()
file(READ ${DOC} written)
if(NOT now STREQUAL written)
  message(FATAL_ERROR "${DOC} is out of date:\n"
                      "  dlpack-conformance mutants --markdown > docs/mutants.md")
endif()
