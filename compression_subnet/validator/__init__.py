"""The validator: the round, its record and the service around them."""

__all__: list[str] = []
