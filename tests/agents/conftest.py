"""Networks use one thread here: two beside a busy neighbour can be far slower than one."""

import torch

torch.set_num_threads(1)
