"""The soak: a validator run for many epochs against faults of every kind, with its record checked all the while.

``python -m soak --seed S --epochs N``, or ``make soak``. The dev chain, the judge's endpoint and the miners run in
this process; the validator is a child of it, so that it can be killed. It stands beside ``benchmarks`` and not within
``tests``: it runs for minutes, prints a report, and is a program of its own; ``tests/soak`` runs its short form.
"""
