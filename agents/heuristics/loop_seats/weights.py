"""The planner's weights in loop_seats, in thousandths; found by `agents.heuristics.evolve`."""

from __future__ import annotations

from agents.heuristics.climbing.weights import W

EVOLVED: dict[W, int] = {
    W.WILL_SINGLE: 547,
    W.WILL_SET: 519,
    W.WILL_RUN: 839,
    W.BLEND: 328,
    W.SINGLE: 471,
    W.SINGLE_WIN: 2199,
    W.SINGLE_WIN2: 592,
    W.SINGLE_HIGH: 363,
    W.SET: 965,
    W.SET_MORE: 38,
    W.SET_WIN: 2136,
    W.SET_HIGH: -622,
    W.RUN: 642,
    W.RUN_MORE: 285,
    W.RUN_WIN: 1063,
    W.RUN_HIGH: -16,
    W.EIGHT: 831,
    W.EIGHT_MORE: -127,
    W.WIN: 1117,
    W.WIN_DANGER: -240,
    W.WIN_LEFT: -906,
    W.RUN_OUT: 3556,
    W.RUN_DANGER: 279,
    W.RUN_WAIT: 728,
    W.SURE: 4048,
    W.PASS: -62,
    W.DANGER_OWNER: 1026,
    W.DANGER_OUT: 190,
    W.DANGER_DECAY: 210,
    W.REVEAL: 630,
    W.OWN_EIGHT: 1201,
    W.OWN_EIGHT_TURN: 396,
    W.OWN_EIGHT_RUN: 700,
    W.FLIP: 55,
}
