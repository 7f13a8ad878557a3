"""Settings of the models behind endpoints: the judge, and the writer of texts and questions."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from compression_subnet.setting_groups.base import Group, Positive, Price

__all__ = ["JudgeSettings", "WriterSettings"]


class JudgeSettings(Group):
    """The model that answers the questions, behind any OpenAI-compatible endpoint."""

    base_url: str = Field(
        "http://127.0.0.1:8801/v1",
        description="address of the endpoint; several, separated by commas, share the load of one and the same model",
    )
    model: str = Field("reader", description="name of the model there")
    model_sha256: str = Field("", description="SHA-256 of its weights, where they are known: part of the profile")
    engine: str = Field("", description="what runs it, with its version: part of the profile")
    quantisation: str = Field("", description="such as float32 or Q4_K_M: part of the profile")
    api_key_file: Path | None = Field(None, description="file that holds the key; or set CS_JUDGE_API_KEY")
    concurrency: int = Field(16, ge=1, description="most requests at once; fewer while the endpoint answers 429")
    timeout: Positive = Field(60.0, description="deadline of one call, in seconds")
    reply_timeout: Positive = Field(300.0, description="deadline of all questions of one reply, in seconds")
    warm_prefix: bool = Field(
        True, description="ask a text's first question alone, so that the provider's prefix cache serves the others"
    )
    cache: Path | None = Field(None, description="file of answers to identical texts; beside the record if not given")
    price_prompt: Price = Field(0.0, description="price of a million prompt tokens")
    price_cached: Price | None = Field(None, description="of a million cached ones; price_prompt if not given")
    price_completion: Price = Field(0.0, description="price of a million completion tokens")
    max_cost: Positive | None = Field(
        None, description="most that the answers of one round may cost; no challenge is begun that might not fit"
    )

    @model_validator(mode="after")
    def _priced(self) -> Self:
        if self.max_cost is not None and not (self.price_prompt or self.price_completion):
            raise ValueError("judge.max_cost needs judge.price_prompt or judge.price_completion")
        return self


class WriterSettings(Group):
    """The model that writes texts and questions, behind any OpenAI-compatible endpoint."""

    base_url: str | None = Field(None, description="address of the endpoint; the judge's if not given")
    model: str = Field("", description="name of the model there; the judge's if not given")
    api_key_file: Path | None = Field(None, description="file that holds the key; or set CS_WRITER_API_KEY")
    concurrency: int = Field(4, ge=1, description="most requests at once")
    timeout: Positive = Field(180.0, description="deadline of one call, in seconds")
    reply_timeout: Positive = Field(600.0, description="deadline of one reply with its retries, in seconds")
    max_tokens: int = Field(4096, ge=256, description="most tokens of a reply")
    temperature: float | None = Field(
        0.8, ge=0, le=2, allow_inf_nan=False, description="of the sampling; none for a provider that takes none"
    )
