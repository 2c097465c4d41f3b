"""OpenTuner on the tables of measured schedules that the example `regret` of crates/tune writes as CSV.

    python bench/tune-opentuner.py [--device] FOLDER [BUDGET ...]

Needs `pip install opentuner`. Every column of a table is a parameter. A configuration that the table lacks stands for
the schedule with the fewest differing columns. A run costs what the table says, compiling included; the budget is the
sum of these costs. With --device costs are those that the example replays on a device: a sixteenth of 1.5 s for
compiling, and half a second for a run that a survey ended. Prints regrets: the time of the answer over the best of the table.
"""

import argparse
import csv
import math
import pathlib
import random
import sys
import tempfile

import numpy
import opentuner
from opentuner import ConfigurationManipulator, EnumParameter
from opentuner.api import TuningRunManager
from opentuner.measurement.interface import DefaultMeasurementInterface
from opentuner.resultsdb.models import Result

STOP_DELAY = 0.02


DEVICE_COMPILE = 1.5 / 16
DEVICE_SLOW = 0.5


def read(path, device):
    with open(path) as file:
        rows = list(csv.reader(file))
    columns, rows = rows[0][:-3], rows[1:]
    rows = [(row[:-3], float(row[-3]), row[-2] == "1", float(row[-1])) for row in rows]
    if device:
        rows = [(values, seconds if done else max(seconds, DEVICE_SLOW), done, DEVICE_COMPILE)
                for values, seconds, done, _ in rows]
    return columns, rows


def regret(path, budget, seed, device):
    columns, rows = read(path, device)
    best = min(seconds for _, seconds, done, _ in rows if done)
    manipulator = ConfigurationManipulator()
    used = []
    for at, column in enumerate(columns):
        values = sorted({row[0][at] for row in rows})
        if len(values) > 1:
            used.append(at)
            manipulator.add_parameter(EnumParameter(f"p{at}", values))
    # Settings as numbers: the nearest schedule is looked up for every test.
    numbers = [{value: i for i, value in enumerate(sorted({row[0][at] for row in rows}))} for at in used]
    table = numpy.array([[number[row[0][at]] for at, number in zip(used, numbers)] for row in rows])
    random.seed(seed)
    parser = argparse.ArgumentParser(parents=opentuner.argparsers())
    with tempfile.TemporaryDirectory() as folder:
        args = parser.parse_args(["--no-dups", "--database", f"sqlite:///{folder}/db", "--test-limit", "100000"])
        interface = DefaultMeasurementInterface(args=args, manipulator=manipulator, project_name="gw",
                                                program_name="table", program_version="1")
        api = TuningRunManager(interface, args)
        spent, answer, compiled, tests = 0.0, math.inf, set(), 0
        # The rule is everybody's first answer.
        answer = rows[0][1]
        spent = 2 * rows[0][1] + rows[0][3]
        while spent < budget and tests < 1500:
            desired = api.get_next_desired_result()
            if desired is None:
                break
            tests += 1
            data = desired.configuration.data
            wanted = numpy.array([number[data[f"p{at}"]] for at, number in zip(used, numbers)])
            place = int((table != wanted).sum(axis=1).argmin())
            _, seconds, done, compiling = rows[place]
            if place not in compiled:
                compiled.add(place)
                spent += compiling + seconds
            spent += seconds
            if done:
                answer = min(answer, seconds)
            api.report_result(desired, Result(time=seconds if done else 10 * seconds))
        try:
            api.finish()
        except AttributeError:
            # After one or two results OpenTuner has no final configuration and fails.
            pass
    return answer / best, tests


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--device"]
    folder, device = pathlib.Path(args[0]), "--device" in sys.argv
    budgets = [float(text) for text in args[1:]] or [2.0, 10.0]
    sums = {budget: [] for budget in budgets}
    for path in sorted(folder.glob("*.csv")):
        line = path.stem
        for budget in budgets:
            found, tests = regret(path, budget, 1, device)
            sums[budget].append(found)
            line += f"  {budget:g} s: {found:.2f} ({tests} tests)"
        print(line, flush=True)
    for budget, found in sums.items():
        mean = math.exp(sum(map(math.log, found)) / len(found))
        close = sum(regret <= 1.05 for regret in found)
        print(f"{budget:g} s: mean {mean:.3f}, worst {max(found):.2f}, within 5 %: {close} of {len(found)}")


if __name__ == "__main__":
    main()
