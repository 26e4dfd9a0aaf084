"""Prints the reference of the package, docs/reference/python.md, made of the stubs. Takes the standard library only."""

import ast
import inspect
from pathlib import Path

SOURCE = Path(__file__).parent / "src" / "pfh"

HEAD = """\
# Python: reference

Every function and class of the package `pfh`, from its stubs (`cargo xtask generate` writes this page). The
[guide](../guides/python.md) shows them in use.
"""


def documented(path: Path) -> list[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes with a text, in the order of the file."""
    nodes = ast.parse(path.read_text()).body
    return [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node)]


def signature(node: ast.FunctionDef) -> str:
    """A function as one would write it, without its body."""
    parts = ast.unparse(node.args)
    text = f"{node.name}({parts}) -> {ast.unparse(node.returns) if node.returns else 'None'}"
    if len(text) > 100:
        # One parameter a line.
        depth, lines, line = 0, [], ""
        for character in parts:
            depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(character, 0)
            if character == "," and depth == 0:
                lines.append(line.strip() + ",")
                line = ""
            else:
                line += character
        lines.append(line.strip() + ",")
        inner = "\n".join("    " + line for line in lines)
        text = f"{node.name}(\n{inner}\n) -> {ast.unparse(node.returns) if node.returns else 'None'}"
    return text


def text(node: ast.AST) -> str:
    """A text as Markdown: examples become blocks of code."""
    lines = (inspect.cleandoc(ast.get_docstring(node) or "")).splitlines()  # type: ignore[arg-type]
    found, is_code = [], False
    for line in lines:
        if line.startswith(">>>") and not is_code:
            found.append("```pycon")
            is_code = True
        if is_code and not line:
            found.append("```")
            is_code = False
        found.append(line if is_code else line.replace("``", "`").replace(":func:", "").replace(":class:", "").replace(":mod:", ""))
    if is_code:
        found.append("```")
    return "\n".join(found)


def is_private(name: str) -> bool:
    """Whether a member is no part of the interface; special methods are."""
    return name.startswith("_") and not name.startswith("__")


def members(node: ast.ClassDef) -> list[str]:
    """The rows of a table: attributes with the text below them, and methods."""
    rows: list[tuple[str, str, str]] = []
    for member, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(member, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            rows.append((ast.unparse(member.target), ast.unparse(member.annotation), str(after.value.value)))
        elif isinstance(member, ast.FunctionDef) and ast.get_docstring(member) and not is_private(member.name):
            is_property = any(ast.unparse(decorator) == "property" for decorator in member.decorator_list)
            arguments = [argument.arg for argument in member.args.args[1:]]
            name = member.name if is_property else f"{member.name}({', '.join(arguments)})"
            rows.append((name, ast.unparse(member.returns) if member.returns else "", text(member)))
    return [
        f"| `{name}` | `{kind}` | {' '.join(meaning.split(chr(10))).replace('``', '`').replace('|', chr(92) + '|')} |\n".replace(
            " | None` |", " \\| None` |"
        )
        for name, kind, meaning in rows
    ]


def function(node: ast.FunctionDef, module: str = "") -> str:
    return f"\n### {module}{node.name}\n\n```python\n{signature(node)}\n```\n\n{text(node)}\n"


def page() -> str:
    native = documented(SOURCE / "_native.pyi")
    plan = documented(SOURCE / "_plan.py")
    python = [node for node in documented(SOURCE / "_python.py") + plan if not node.name.startswith("_")]
    # The task that engines distribute, which is no part of the interface.
    python = [node for node in python if node.name != "hash_shard"]
    errors = documented(SOURCE / "_errors.py")
    parts = [HEAD, "\n## Functions\n"]
    functions = [node for node in native + python if isinstance(node, ast.FunctionDef)]
    parts.extend(function(node) for node in sorted(functions, key=lambda node: node.name))
    for module in ("dask", "spark"):
        path = SOURCE / f"{module}.py"
        parts.append(f"\n## The module pfh.{module}\n\n{text(ast.parse(path.read_text()))}\n")
        own = [node for node in documented(path) if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
        parts.extend(function(node, f"pfh.{module}.") for node in sorted(own, key=lambda node: node.name))
    parts.append("\n## Classes\n")
    classes = [node for node in native + plan if isinstance(node, ast.ClassDef) and not node.name.endswith("Iterator")]
    for one in sorted(classes, key=lambda node: node.name):
        parts.append(f"\n### {one.name}\n\n{text(one)}\n\n| member | type | meaning |\n| --- | --- | --- |\n")
        parts.extend(members(one))
    parts.append("\n## Exceptions\n")
    for error in errors:
        assert isinstance(error, ast.ClassDef)
        bases = ", ".join(ast.unparse(base) for base in error.bases)
        parts.append(f"\n### {error.name}({bases})\n\n{text(error)}\n")
    return "".join(parts)


if __name__ == "__main__":
    print(page(), end="")
