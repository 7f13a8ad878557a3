"""From a round to averages, and from averages to weights on chain."""
