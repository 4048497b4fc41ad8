"""Adapters: PettingZoo AEC, many matches at once, and one Gymnasium learner among opponents."""
