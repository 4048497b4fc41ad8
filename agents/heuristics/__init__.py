"""Rule-based players, one package for each game, as compiled policies."""
