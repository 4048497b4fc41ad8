"""What climbing games with sets and runs share: combinations, masks, hidden cards, texts.

Used by both Loops; a game brings its own state and rules. Compiled functions read these fields:
of the state ``hands``, ``seen`` (by hand), ``left``, ``aside``, ``revealed`` (by holder),
``current``, ``inverted``, ``must_play``, ``phase``; of the options record `tables.FIELDS`.
"""
