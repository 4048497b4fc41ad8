"""Fairness studies: how much of a result is luck, and whom the rules favour.

A study plays *arms*, sets of tables on many boards (`arms`, `playing`), and asks its questions of
what came out, a part at a time (`played`): what seats are worth (`seats`), how much is luck
(`luck`), how well scoring rules rank (`scoring`), what the game's own rules do (`games`), and
whether the methods are to be trusted (`controls`). Every answer has estimates with intervals over
boards, a plot and plain words (`answers`).
"""
