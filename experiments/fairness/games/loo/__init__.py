"""The study of loo: dealer, Miss, stakes, and how often the best player ends ahead."""

from experiments.fairness.games.loo.study import STUDY

__all__ = ["STUDY"]
