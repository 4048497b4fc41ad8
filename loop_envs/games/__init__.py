"""The games: one package each, none of which imports another."""
