"""What a validator publishes of its record, signed, and what anybody can find out from it."""

__all__: list[str] = []
