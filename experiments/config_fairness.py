"""The section of a configuration that asks for a fairness study."""

from __future__ import annotations

from pydantic import Field

from experiments.config_tournament import TournamentAgent
from experiments.config_values import Board, Int, Model


class FairnessConfig(Model):
    """A study of how much of a result is luck, and whom the rules favour."""

    ladder: list[TournamentAgent] = Field(
        description="agents of known strength, best first, at least as many as seats: names, or "
        "{name, noisy, epsilon} of a named agent"
    )
    others: list[TournamentAgent] = Field(
        [],
        description="agents whose place beside the ladder is measured, such as trained ones: "
        "names, {name, checkpoint}, or {name, noisy, epsilon}",
    )
    first_board: Board = Field(2**31, description="number of the first board")
    identical: Int = Field(
        2000, ge=400, le=2**31, description="boards played by equal agents, one match each"
    )
    boards: Int = Field(
        400, ge=100, le=2**31, description="boards of the ladder, in all line-ups and seatings"
    )
    others_boards: Int = Field(50, ge=10, le=2**31, description="boards played by the others")
    variants: Int = Field(
        400, ge=100, le=2**31, description="boards of each of the game's own experiments"
    )
    matches: Int = Field(
        400, ge=10, le=2**31, description="length of a tournament at which scoring is compared"
    )

    @property
    def all_agents(self) -> list[TournamentAgent]:
        """The ladder and the others."""
        return [*self.ladder, *self.others]


def name_of(agent: TournamentAgent) -> str:
    """An agent's name in tables."""
    return agent if isinstance(agent, str) else agent.name
