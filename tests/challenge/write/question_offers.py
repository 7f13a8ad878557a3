"""A text, and good questions about it as a model offers them."""

from typing import Any

from compression_subnet.challenge.types import Question, Span
from compression_subnet.challenge.write.candidates import Candidate, Refusal, check_candidate

TEXT = (
    "The survey of Port Halden began in March 1921 under Ada Renn. It was raining. "
    "The harbour of Port Halden holds 31 boats.\n\n"
    "Tomas Veil built the lighthouse at Skarn Point because of two wrecks. It was raining hard. "
    "The lamp of the lighthouse came from Ellerquay. It was raining. Ina Moll followed Tomas Veil as keeper."
)
WHOLE = Span(0, len(TEXT))
FIRST = Span(0, TEXT.index("\n\n"))


def offer(question: str, gold: Any, evidence: str, kind: str = "who") -> dict[str, Any]:
    return {"question": question, "gold": gold, "evidence": evidence, "kind": kind}


SURVEY = "The survey of Port Halden began in March 1921 under Ada Renn."
GOOD = [
    offer("Who led the survey of Port Halden?", ["Ada Renn", "Renn"], SURVEY),
    offer("How many boats does the harbour of Port Halden hold?", ["31 boats", "31"],
          "The harbour of Port Halden holds 31 boats.", "how many"),
    offer("Why did Tomas Veil build a lighthouse at Skarn Point?", ["two wrecks"],
          "Tomas Veil built the lighthouse at Skarn Point because of two wrecks.", "why"),
    offer("Where did the lamp of the lighthouse at Skarn Point come from?", ["Ellerquay"],
          "The lamp of the lighthouse came from Ellerquay.", "where"),
    offer("Who followed Tomas Veil as keeper?", ["Ina Moll"], "Ina Moll followed Tomas Veil as keeper.", "relation"),
]  # fmt: skip


def check(entry: dict[str, Any], part: Span = FIRST, kept: tuple[Question, ...] = ()) -> Question | Refusal:
    return check_candidate(Candidate(**entry), TEXT, part, kept)
