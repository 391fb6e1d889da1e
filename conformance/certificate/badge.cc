#include "conformance/certificate/badge.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "harness/json.h"

namespace dlpc {
namespace {

constexpr int kHeight = 20;
constexpr int kLetter = 7;  // Mean width of the font, in pixels.

const char* Hex(const std::string& color) {
  return color == "brightgreen" ? "#2d7d2d" : color == "red" ? "#b3261e" : "#5f5f5f";
}

void AddPart(pugi::xml_node svg, int left, const std::string& text, const char* color) {
  const int width = static_cast<int>(text.size()) * kLetter + 10;
  pugi::xml_node box = svg.append_child("rect");
  box.append_attribute("x") = left;
  box.append_attribute("width") = width;
  box.append_attribute("height") = kHeight;
  box.append_attribute("fill") = color;
  pugi::xml_node words = svg.append_child("text");
  words.append_attribute("x") = left + width / 2;
  words.append_attribute("y") = 14;
  words.append_attribute("textLength") = width - 10;
  words.text() = text.c_str();
}

}  // namespace

Badge BadgeOf(const ProfileResult& p) {
  Badge badge{fmt::format("DLPack {}", p.name), std::string(StateName(p.state)), "lightgrey"};
  const size_t checked = p.passed + p.failed.size();
  if (p.state == ProfileResult::State::kMet) {
    badge.message = fmt::format("conformant, {} of {} checked", checked, checked + p.untested);
    badge.color = "brightgreen";
  } else if (p.state == ProfileResult::State::kNotMet) {
    badge.message =
        p.failed.empty() ? "not shown" : fmt::format("{} of {} fail", p.failed.size(), checked);
    badge.color = p.failed.empty() ? "lightgrey" : "red";
  }
  return badge;
}

std::string QuotedText(const std::string& text) { return DumpJson(Json(text)); }

std::string BadgeJson(const Badge& badge) {
  const OrderedJson json = {{"schemaVersion", 1},
                            {"label", badge.label},
                            {"message", badge.message},
                            {"color", badge.color}};
  return DumpJson(json, 1) + "\n";
}

std::string BadgeSvg(const Badge& badge) {
  pugi::xml_document document;
  pugi::xml_node svg = document.append_child("svg");
  const int left = static_cast<int>(badge.label.size()) * kLetter + 10;
  const int right = static_cast<int>(badge.message.size()) * kLetter + 10;
  svg.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
  svg.append_attribute("width") = left + right;
  svg.append_attribute("height") = kHeight;
  svg.append_attribute("role") = "img";
  svg.append_attribute("font-family") = "Verdana,DejaVu Sans,sans-serif";
  svg.append_attribute("font-size") = 11;
  svg.append_attribute("text-anchor") = "middle";
  svg.append_attribute("fill") = "#fff";
  svg.append_child("title").text() = (badge.label + ": " + badge.message).c_str();
  AddPart(svg, 0, badge.label, "#444");
  AddPart(svg, left, badge.message, Hex(badge.color));
  std::ostringstream out;
  document.save(out, " ", pugi::format_indent | pugi::format_no_declaration);
  return out.str();
}

}  // namespace dlpc
