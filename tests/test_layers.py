"""The layers (design, section 3): dependencies point down, imports for types too."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_a_module_imports_only_from_lower_layers() -> None:
    lint = "from importlinter.cli import lint_imports_command as lint; lint()"
    command = [sys.executable, "-c", lint, "--no-cache", "--no-logo", "--config", "pyproject.toml"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stdout + done.stderr
