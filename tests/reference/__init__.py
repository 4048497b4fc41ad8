"""Slow, independent references of the games, written from the rules texts alone."""
