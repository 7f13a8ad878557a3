"""Numbered lists to a model and back: what it returns is put where it belongs, or left out."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from compression_subnet.text.canonical import canonical

__all__ = ["Items", "by_number", "numbered"]

_WIRE: Final = ConfigDict(extra="ignore", frozen=True, json_schema_extra={"additionalProperties": False})


class Item(BaseModel):
    """One text and the number of what it stands for."""

    model_config = _WIRE

    number: int
    text: str


_NOTHING: Final = Item(number=0, text="")


def _or_nothing(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    # One bad entry must not cost the others.
    try:
        return handler(value)
    except ValidationError:
        return _NOTHING


class Items(BaseModel):
    """A model's reply to a numbered list."""

    model_config = _WIRE

    items: list[Annotated[Item, WrapValidator(_or_nothing)]]


def numbered(texts: Sequence[str]) -> str:
    """Return the texts, one a line, numbered from 1."""
    return "\n".join(f"{i}. {' '.join(text.split())}" for i, text in enumerate(texts, start=1))


def by_number(reply: Items, count: int) -> list[str | None]:
    """Return the text for each of ``count`` numbers, canonical and on one line; None where there is none.

    Where a number comes twice, the first counts.
    """
    texts: list[str | None] = [None] * count
    for item in reply.items:
        text = " ".join(canonical(item.text).split())
        if 1 <= item.number <= count and texts[item.number - 1] is None and text:
            texts[item.number - 1] = text
    return texts
