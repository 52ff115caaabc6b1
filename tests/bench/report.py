"""Tables of text, aligned and in Markdown at once."""

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The rows below their head; all columns but the first and those with letters are numbers, aligned right."""
    columns = list(zip(head, *rows, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    is_text = [any(cell[:1].isalpha() for cell in column[1:]) for column in columns]
    lines = [
        "| "
        + " | ".join(_aligned(cell, width, text) for cell, width, text in zip(row, widths, is_text, strict=True))
        + " |"
        for row in (head, *rows)
    ]
    rule = "|".join(
        "-" * (width + 2) if text else "-" * (width + 1) + ":" for width, text in zip(widths, is_text, strict=True)
    )
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _aligned(cell: str, width: int, is_text: bool) -> str:
    return cell.ljust(width) if is_text else cell.rjust(width)
