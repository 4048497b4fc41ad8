"""Rule-based players that both Loops share: `greedy` is simple, `planner` strong."""
