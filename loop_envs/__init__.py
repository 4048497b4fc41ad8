"""Loop Envs: reinforcement-learning environments for Loop, LOOPLA! and Loo.

```python
import loop_envs

env = loop_envs.make("loop_boards-v0", num_players=5)  # PettingZoo AECEnv
game = loop_envs.load_game("loop_boards-v0", num_players=5)  # the rules
batch = loop_envs.make_batch("loop_boards-v0", num_matches=4096)  # many matches at once
```

Importing the package also registers every environment, as ``loop_envs/<id>``, in PettingZoo's
and Gymnasium's registries.
"""

from loop_envs.envs.aec import make_raw as make
from loop_envs.envs.batch import make_batch
from loop_envs.registry import env_ids, load_game, register_everywhere

register_everywhere()

__version__ = "0.1.0"
__all__ = ["env_ids", "load_game", "make", "make_batch"]
