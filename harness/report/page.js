// Texts may come from a hostile producer: they reach the page as text nodes only.
const data = JSON.parse(document.getElementById("data").textContent);

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const text = (value) => document.createTextNode(String(value));
const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

const BAD = new Set(["fail", "crash", "timeout"]);
const NOT_EXECUTED = new Set(["not_applicable", "not_supported", "skipped", "untested"]);
const LEVELS = { must: "MUST", should: "SHOULD", info: "info" };
const LEVEL_COLOR = { must: "red", should: "amber", info: "blue" };

// What a reader filters by; "pass" holds unexpected passes too, as the rule is met.
const KINDS = [["bad", "Failing"], ["xfail", "Known"], ["error", "Error"], ["pass", "Passing"],
               ["untested", "Untested"]];
function kindOf(status) {
  if (BAD.has(status)) return "bad";
  if (status === "xfail" || status === "error") return status;
  return NOT_EXECUTED.has(status) ? "untested" : "pass";
}
function colorOf(status, level) {
  const kind = kindOf(status);
  if (kind === "bad") return LEVEL_COLOR[level];
  return { xfail: "amber", error: "red", pass: status === "xpass" ? "amber" : "green" }[kind] || "";
}
const statusTag = (status, level) =>
  el("span", { class: "tag " + colorOf(status, level) }, text(status.replaceAll("_", " ")));

