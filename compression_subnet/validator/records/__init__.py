"""The record: written as a round goes, kept within bounds, set aside where it is damaged, read by everybody."""
