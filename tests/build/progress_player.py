"""Play a recorded build through the front end's progress display. test_terminal.py runs this in a terminal.

The argument is JSON: the forecast, and the events in order.
"""

from __future__ import annotations

import json
import os
import sys
import time

from tools.base.console import display_of
from tools.insight.terminal.progress import make_progress
from tools.insight.terminal.tally import Forecast


def main() -> None:
    script = json.loads(sys.argv[1])
    forecast = Forecast(script["seconds"], list(script["planned"]), script["jobs"])
    display = display_of(sys.stdout, os.environ)
    print("what was printed before", flush=True)
    progress = make_progress(display, forecast, lambda: script["hit_rate"])
    try:
        for kind, *words in script["events"]:
            if kind == "sleep":
                time.sleep(words[0])
            else:
                getattr(progress, kind)(*words)
    finally:
        progress.close()
    print("what is printed after", flush=True)


main()
