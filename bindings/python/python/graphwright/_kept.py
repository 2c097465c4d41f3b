"""Outcomes that hold their values themselves: of results out of pickles, and of results made of several runs."""

from __future__ import annotations

from typing import Any


class KeptOutcome:
    """What a native outcome tells, without the run behind it."""

    def __init__(self, program: str, values: dict[str, Any], kinds: dict[str, str] | None = None, **told):
        self.program = program
        self._values = values
        self.names = [(name, (kinds or {}).get(name, "vector" if hasattr(value, "shape") else "scalar")) for name, value in values.items()]
        self.machine = told.get("machine", "cpu")
        self.schedule = told.get("schedule", "")
        self.reasons = told.get("reasons", [])
        self.steps = told.get("steps", 0)
        self.notes = told.get("notes", [])
        self.printed = told.get("printed", "")
        self.times = told.get("times", {"load": 0.0, "compile": 0.0, "run": 0.0, "device": None})
        self.trace = told.get("trace", [])
        for value in values.values():
            if hasattr(value, "flags") and value.flags.owndata:
                value.flags.writeable = False

    @classmethod
    def of(cls, outcome, names) -> KeptOutcome:
        """The values of a native outcome, for a pickle."""
        told = {name: getattr(outcome, name) for name in
                ("machine", "schedule", "reasons", "steps", "notes", "printed", "times", "trace")}  # fmt: skip
        values = {name: outcome.get(name) for name in names}
        return cls(outcome.program, values, dict(outcome.names), **told)

    def get(self, name: str) -> Any:
        """A value."""
        return self._values[name]

    def _no_run(self, *_):
        raise ValueError(f"this result of {self.program} is a copy without its run: ask the result of the run itself")

    path = parents = paths = verify = _no_run
