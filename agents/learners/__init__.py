"""Learners: agents that improve from trajectories of the seats they played."""
