"""The validator's record: one SQLite file from which every score and weight can be recomputed.

A challenge's results are written in one transaction, and so are a round's end and the averages that it moves: a
process that is killed at any moment leaves a record in which each is there whole or not at all.
"""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from compression_subnet.database import open_database, transaction
from compression_subnet.judge.cost import Prices
from compression_subnet.scoring import Average
from compression_subnet.transport import Failed, Replied
from compression_subnet.validator.record import AVERAGE_JSON, CHALLENGE_JSON, Record
from compression_subnet.validator.results import ChallengeResult, Judged, MinerResult
from compression_subnet.validator.schema import MIGRATIONS

__all__ = ["Store"]


class Store:
    """A validator's record in the file ``path``, made where there is none. Use it as a context manager.

    Attributes:
        read: what is in it.

    Raises:
        StoreError: the file is no record of ours, is damaged, or comes from a newer release; it is left as it is.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time):
        self._clock = clock
        self._db = open_database(path, MIGRATIONS, "record")
        self._db.execute("PRAGMA foreign_keys = ON")
        self.read = Record(self._db)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def begin_round(
        self, epoch: int, profile: str, asked: int, prices: Prices | None = None, max_cost: float | None = None
    ) -> int:
        """Open a round of ``asked`` challenges in ``epoch``, and return its number.

        A round that was left running by a process that died is marked as dropped: it moved no average.
        """
        prices = prices or Prices()
        cached = prices.prompt if prices.cached is None else prices.cached
        with transaction(self._db):
            self._db.execute("UPDATE rounds SET status = 'dropped' WHERE status = 'running'")
            cursor = self._db.execute(
                "INSERT INTO rounds (epoch, started, profile, asked, status, max_cost,"
                " price_prompt, price_cached, price_completion) VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?)",
                (epoch, self._clock(), profile, asked, max_cost, prices.prompt, cached, prices.completion),
            )
        return int(cursor.lastrowid or 0)

    def add(self, round_number: int, result: ChallengeResult) -> None:
        """Write one challenge with its controls, replies and answers."""
        challenge, controls = result.assignment.challenge, result.controls
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO challenges VALUES (?, ?, ?, ?, ?)",
                (
                    challenge.id,
                    round_number,
                    result.assignment.level,
                    CHALLENGE_JSON.dump_json(challenge).decode(),
                    int(controls.settled),
                ),
            )
            for kind, text, judged in (
                ("ceiling", challenge.text, controls.ceiling),
                ("floor", "", controls.floor),
                ("baseline", controls.baseline_text, controls.baseline),
            ):
                score = str(judged.score) if judged.settled else None
                # The full text is in the challenge already.
                self._db.execute(
                    "INSERT INTO controls VALUES (?, ?, ?, ?)",
                    (challenge.id, kind, "" if kind == "ceiling" else text, score),
                )
                self._answers(challenge.id, f"control:{kind}", judged)
            for miner in result.miners:
                self._reply(challenge.id, miner)

    def finish_round(self, number: int, averages: Mapping[str, Average] | None, detail: str = "", cut: int = 0) -> None:
        """Close a round: with the averages after it, or as void for the reason in ``detail``.

        ``cut`` of its challenges were not begun, because of what they might have cost. Hotkeys that are absent from
        ``averages`` are deleted: they are registered no more.
        """
        with transaction(self._db):
            self._db.execute(
                "UPDATE rounds SET finished = ?, status = ?, detail = ?, cut = ? WHERE number = ?",
                (self._clock(), "void" if averages is None else "counted", detail, cut, number),
            )
            if averages is not None:
                self._db.execute("DELETE FROM averages")
                self._db.executemany(
                    "INSERT INTO averages VALUES (?, ?)",
                    [(hotkey, AVERAGE_JSON.dump_json(average).decode()) for hotkey, average in averages.items()],
                )

    def record_weights(self, round_number: int, vector: Mapping[str, int], outcome: str, detail: str) -> None:
        """Write an attempt to set weights: 16-bit integers by hotkey, and what came of it."""
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO weight_settings (round, at, vector, outcome, detail) VALUES (?, ?, ?, ?, ?)",
                (round_number, self._clock(), json.dumps(dict(vector), sort_keys=True), outcome, detail),
            )

    def _reply(self, challenge: str, miner: MinerResult) -> None:
        outcome, verdict = miner.outcome, miner.compliance
        failure = "" if isinstance(outcome, Replied) else _failure(outcome)
        # A lone surrogate is JSON but not UTF-8; canonical form takes it away, and the verdict was on that form.
        raw = outcome.compressed_text.encode(errors="ignore").decode() if isinstance(outcome, Replied) else None
        self._db.execute(
            "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                challenge,
                miner.hotkey,
                verdict.reason.value,
                failure,
                verdict.tokens,
                verdict.budget,
                outcome.seconds,
                raw,
                None if miner.score is None else str(miner.score),
            ),
        )
        if miner.judged is not None:
            self._answers(challenge, miner.hotkey, miner.judged)

    def _answers(self, challenge: str, party: str, judged: Judged) -> None:
        self._db.executemany(
            "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    challenge,
                    party,
                    index,
                    one.answer.status.value,
                    one.answer.text.encode(errors="ignore").decode(),
                    one.answer.detail,
                    int(one.supported),
                    str(one.f1),
                    one.answer.usage.prompt_tokens,
                    one.answer.usage.cached_tokens,
                    one.answer.usage.completion_tokens,
                )
                for index, one in enumerate(judged.answers)
            ],
        )


def _failure(outcome: Failed) -> str:
    return outcome.reason.value + (f" {outcome.status}" if outcome.status is not None else "")
