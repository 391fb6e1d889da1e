"""The source of what an adapter's refusals() are, so that a program can make them by itself."""

import ast


def top_level(tree):
    """name -> the statement of the file that binds it."""
    bound = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound[node.name] = node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                bound[(alias.asname or alias.name).split(".")[0]] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        bound[name.id] = node
    return bound


def needed(node, bound, found):
    """Adds the statements that `node` rests on to `found`."""
    for name in ast.walk(node):
        statement = bound.get(getattr(name, "id", None))
        if isinstance(name, ast.Name) and statement is not None and statement not in found:
            found.append(statement)
            needed(statement, bound, found)


def maker_text(maker, bound):
    if isinstance(maker, ast.Lambda):
        return ast.unparse(maker.body)
    if isinstance(maker, ast.Attribute):  # A method, or an array.
        return "(lambda y: y if hasattr(y, '__dlpack__') else y())(%s)" % ast.unparse(maker)
    is_function = isinstance(maker, ast.Name) and isinstance(bound.get(maker.id), ast.FunctionDef)
    return ast.unparse(maker) + ("()" if is_function else "")


def refusal_sources(path):
    """name -> lines, of which the last is an expression. Only what is written plainly is found."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    bound = top_level(tree)
    refusals = bound.get("refusals")
    if not isinstance(refusals, ast.FunctionDef):
        return {}
    inner = {target.id: node for node in refusals.body if isinstance(node, ast.Assign)
             for target in node.targets if isinstance(target, ast.Name)}
    sources = {}
    for entry in ast.walk(refusals):
        if not (isinstance(entry, ast.Tuple) and len(entry.elts) == 2
                and isinstance(entry.elts[0], ast.Constant)):
            continue
        name, maker = entry.elts
        found = []
        needed(maker, {**bound, **inner}, found)
        found.sort(key=lambda node: node.lineno)
        lines = [line for node in found for line in ast.unparse(node).splitlines()]
        sources[str(name.value)] = lines + [maker_text(maker, bound)]
    return sources


def recipe(adapter):
    """How programs that show a failure make the library's arrays (docs/adapters.md)."""
    try:
        return dict(adapter.REPRO, refusals=refusal_sources(adapter.__file__))
    except Exception:  # Not so plainly written: programs get these objects from the adapter.
        return adapter.REPRO
