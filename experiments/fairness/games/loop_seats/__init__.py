"""The study of loop_seats: points for changes of rank, and the movement of players."""

from experiments.fairness.games.loop_seats.study import STUDY

__all__ = ["STUDY"]
