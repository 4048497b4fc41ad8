"""Several numbers of players in common spaces: fields, actions, players, one size as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from agents.base import Decisions
from agents.learners.kinds import KINDS, make_frozen
from agents.learners.opponents import SNAPSHOTS, Matchmaker, Opponent
from agents.learners.self_play import SelfPlay
from agents.learners.sizes import Sizes, SizesError, for_each_size, for_one_size
from agents.learners.sizes_play import SizesPlay
from agents.learners.snapshots import Pool
from agents.learners.trajectories import Trajectories
from agents.named import agent_names, make_agent
from loop_envs import load_game
from loop_envs.envs.batch import Batch
from loop_envs.game import Game

GAMES: list[tuple[str, dict[str, Any], list[int]]] = [
    ("loop_boards-v0", {}, [6, 4]),
    ("loop_boards-v0", {"hand_size": 4, "deck": {"colours": 3, "values": 5}, "eight": 3}, [2, 3]),
    ("loop_seats-v0", {}, [2, 4, 3]),
    ("loopla-v0", {"rounds": 1}, [2, 6]),
    ("loo-v0", {"variant": "five_card", "num_deals": 3}, [3, 5]),
]
every_game = pytest.mark.parametrize(("env", "options", "numbers"), GAMES)


def _sizes(env: str, options: dict[str, Any], numbers: list[int]) -> Sizes:
    return Sizes([load_game(env, **options, num_players=n) for n in numbers])


def _batch(game: Game, matches: int, plies: int = 0) -> Batch:
    batch = Batch(game, matches)
    batch.reset(4)
    if plies:
        batch.run(plies)
    return batch


@every_game
def test_padded_fields_are_the_games_own(
    env: str, options: dict[str, Any], numbers: list[int]
) -> None:
    sizes = _sizes(env, options, numbers)
    for game, view in zip(sizes.games, sizes.views, strict=True):
        own = _batch(game, 40, 23)
        decisions = Decisions.of(own, np.arange(40), with_state=True)
        wide = view.widen(decisions)
        before = game.layout.split(decisions.observation)
        after = sizes.layout.split(wide.observation)
        assert (after.pop("num_players") == np.eye(len(numbers))[view.number]).all()
        assert set(before) <= set(after)
        for name, padded in after.items():
            rest = padded.copy()
            if name in before:
                corner = (slice(None), *(slice(length) for length in game.layout[name].shape))
                assert (padded[corner] == before[name]).all(), name
                rest[corner] = 0
            assert not rest.any(), name
        assert (wide.observation <= sizes.layout.high).all()
        assert (wide.observation >= sizes.layout.low).all()
        assert wide.state is not None
        seats = wide.state.reshape(40, sizes.num_players, sizes.layout.size)
        assert (seats[:, 0] == wide.observation).all()
        assert (seats[:, : game.num_players, view.entries] == own.observe_all(np.arange(40))).all()
        assert not seats[:, game.num_players :].any()
        narrow = sizes.view_of(wide).narrow(wide)
        assert (narrow.observation == decisions.observation).all()
        assert (narrow.action_mask == decisions.action_mask).all()


@every_game
def test_actions_are_the_same_where_their_texts_are(
    env: str, options: dict[str, Any], numbers: list[int]
) -> None:
    """Found by features, so texts are an independent check."""
    sizes = _sizes(env, options, numbers)
    texts: dict[int, str] = {}
    for game, view in zip(sizes.games, sizes.views, strict=True):
        assert len(set(view.actions.tolist())) == game.num_actions
        assert (view.own_actions(view.actions) == np.arange(game.num_actions)).all()
        for action, text in zip(view.actions.tolist(), game.action_names, strict=True):
            assert texts.setdefault(action, text) == text
    assert set(texts) == set(range(sizes.num_actions))
    assert len(set(texts.values())) == len(texts)


@every_game
def test_one_size_has_the_spaces_of_its_game(
    env: str, options: dict[str, Any], numbers: list[int]
) -> None:
    game = load_game(env, **options, num_players=numbers[0])
    sizes = Sizes([game])
    assert sizes.layout.hash == game.layout.hash
    assert (sizes.action_features == game.action_features).all()
    assert (sizes.views[0].entries == np.arange(game.layout.size)).all()
    assert (sizes.views[0].actions == np.arange(game.num_actions)).all()


def test_games_without_common_spaces_are_refused() -> None:
    small: dict[str, Any] = {"deck": {"colours": 3, "values": 6}, "hand_size": 4}
    other = small | {"deck": {"colours": 3, "values": 5}}
    three = load_game("loop_boards-v0", num_players=3, **small)
    with pytest.raises(SizesError, match="not one game in different numbers of players"):
        Sizes([three, three])
    with pytest.raises(SizesError, match="not one game in different numbers of players"):
        Sizes([three, load_game("loopla-v0", num_players=2)])
    with pytest.raises(SizesError, match=r"actions are described by \[48, 40\] card columns"):
        Sizes([three, load_game("loop_boards-v0", num_players=2, **other)])


SMALL = GAMES[1]
KIND_CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("dmc", {"combinations": True}),
    ("ppo_all", {"critic": "state", "combinations": True, "legal": True}),
    ("ppo_all", {"teacher": "greedy", "lessons": 500}),
]
every_kind = pytest.mark.parametrize(("kind", "changes"), KIND_CHANGES)


def _play(spaces: Game | Sizes, kind: str, changes: dict[str, Any], matches: int) -> Any:
    settings = KINDS[kind].settings(network=(16,), batch_size=64, **changes)
    learner = KINDS[kind].learner("a", spaces, settings, 5)
    greedy = for_each_size(spaces, lambda game: make_agent("greedy", game))
    mixture = [Opponent("greedy"), Opponent(SNAPSHOTS, pool=Pool(every=1))]
    matchmaker = Matchmaker(spaces, [learner], [mixture], {"greedy": greedy})
    if not isinstance(spaces, Sizes):
        return learner, SelfPlay(_batch(spaces, matches), [learner], matchmaker)
    batches = [_batch(game, matches) for game in spaces.games]
    return learner, SizesPlay(batches, [learner], matchmaker, spaces)


@every_kind
def test_one_size_learns_as_without_common_spaces(kind: str, changes: dict[str, Any]) -> None:
    """The padded path with a single game gives the weights of the plain path."""
    game = load_game("loop_boards-v0", **SMALL[1], num_players=3)
    found = []
    for spaces in (game, Sizes([game])):
        learner, play = _play(spaces, kind, changes, 16)
        for _ in range(3):
            while play.num_ready(0) < 400:
                play.play_ply(0.5)
            learner.update(play.take(0), 0.5)
            play.matchmaker.take_snapshots(play.seating)
        found.append(learner)
    for one, other in zip(*(x.module.parameters() for x in found), strict=True):
        assert torch.equal(one, other)


@every_kind
def test_a_state_goes_on_to_the_same_weights(kind: str, changes: dict[str, Any]) -> None:
    """Learners, matches of both sizes, and snapshots that both share."""
    sizes = _sizes(*SMALL)
    pairs = [_play(sizes, kind, changes, 8) for _ in range(2)]
    (learner, play), (other, again) = pairs

    def learn(rounds: int, learner: Any, play: Any) -> None:
        for _ in range(rounds):
            while play.num_ready(0) < 400:
                play.play_ply(0.5)
            learner.update(play.take(0), 0.5)
            play.matchmaker.take_snapshots(play.seating)

    learn(2, learner, play)
    other.set_state(learner.get_state())
    again.set_state(play.get_state())
    learn(2, learner, play)
    learn(2, other, again)
    for one, two in zip(learner.module.parameters(), other.module.parameters(), strict=True):
        assert torch.equal(one, two)
    assert play.matchmaker.pools() == again.matchmaker.pools()
    assert {row["num_players"] for row in play.take_results()} == {2, 3}


def test_joined_lots_keep_their_links() -> None:
    game = load_game("loop_boards-v0", **SMALL[1], num_players=3)
    _, play = _play(game, "ppo_all", {}, 16)
    lots = []
    for _ in range(3):
        while play.num_ready(0) < 200:
            play.play_ply()
        lots.append(play.take(0))
    empty = Trajectories({}, np.zeros(0, np.float32), np.zeros(0, np.int64), np.zeros(0, np.bool_))
    whole = Trajectories.joined([lots[0], empty, *lots[1:]])
    parts = np.concatenate([lot.advantages(0.9, 0.8) for lot in lots])
    assert (whole.advantages(0.9, 0.8) == parts).all()
    assert (whole.complete() == np.concatenate([lot.complete() for lot in lots])).all()
    assert whole.num_ready == sum(lot.num_ready for lot in lots)
    assert Trajectories.joined([empty, empty]).num_ready == 0


@every_game
def test_players_choose_the_same_in_common_spaces(
    env: str, options: dict[str, Any], numbers: list[int]
) -> None:
    """An agent of each size as one player, and that player at one size again: nothing changes."""
    sizes = _sizes(env, options, numbers)
    name = agent_names(sizes.games[0].rules.name)[-1]
    common = for_each_size(sizes, lambda game: make_agent(name, game, 3))
    settings = KINDS["dmc"].settings(network=(8,))
    learner = KINDS["dmc"].learner("a", sizes, settings, 5)
    network = make_frozen("dmc", "a", sizes, learner.frozen(), sample=True)
    for game in sizes.games:
        batch = _batch(game, 50, 17)
        decisions = Decisions.of(batch, np.arange(50))
        again = for_one_size(sizes, common, game)
        assert (again.act(decisions) == make_agent(name, game, 3).act(decisions)).all()
        chosen = for_one_size(sizes, network, game).act(decisions)
        assert batch.action_mask[np.arange(50), chosen].all()
