"""What the groups are made of: their base, and the kinds of numbers that many fields take."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Group", "Port", "Positive", "Price"]

Port = Annotated[int, Field(ge=1, le=65535)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Group(BaseModel):
    """A prefix of flags: frozen, and nothing in it that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)
