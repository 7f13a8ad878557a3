"""One round: who is asked what, what came of it, and where its challenges come from."""
