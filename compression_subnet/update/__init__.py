"""Updating a checkout to a tagged release, when its operator asks for it, and back where that does not work."""

from compression_subnet.update.releases import Release, newest, parse_tag

__all__ = ["Release", "newest", "parse_tag"]
