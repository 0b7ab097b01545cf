"""How hypothesis runs: the same examples every time in CI, new ones on each run elsewhere. Import it once.

`HYPOTHESIS_PROFILE=thorough` tries many more of them.
"""

import os

from hypothesis import HealthCheck, settings

SLOW_MACHINES = (HealthCheck.too_slow,)  # Time says nothing about an answer here.

settings.register_profile("local", deadline=None, print_blob=True, suppress_health_check=SLOW_MACHINES)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile("thorough", settings.get_profile("local"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("ELICITKIT_CI") else "local"))
