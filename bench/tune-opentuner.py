"""OpenTuner on the tables of measured schedules that the example `regret` of crates/tune writes as CSV.

    python bench/tune-opentuner.py FOLDER [BUDGET ...]

Needs `pip install opentuner`. Every column of a table is a parameter. A configuration that the table lacks stands for
the schedule with the fewest differing columns. A run costs what the table says, compiling included; the budget is the
sum of these costs. Prints regrets: the time of the answer over the best of the table.
"""

import argparse
import csv
import math
import pathlib
import random
import sys
import tempfile

import opentuner
from opentuner import ConfigurationManipulator, EnumParameter
from opentuner.api import TuningRunManager
from opentuner.measurement.interface import DefaultMeasurementInterface
from opentuner.resultsdb.models import Result

STOP_DELAY = 0.02


def read(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    columns, rows = rows[0][:-3], rows[1:]
    return columns, [(row[:-3], float(row[-3]), row[-2] == "1", float(row[-1])) for row in rows]


def regret(path, budget, seed):
    columns, rows = read(path)
    best = min(seconds for _, seconds, done, _ in rows if done)
    manipulator = ConfigurationManipulator()
    used = []
    for at, column in enumerate(columns):
        values = sorted({row[0][at] for row in rows})
        if len(values) > 1:
            used.append(at)
            manipulator.add_parameter(EnumParameter(f"p{at}", values))
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
            wanted = [data[f"p{at}"] for at in used]
            place = min(range(len(rows)), key=lambda i: sum(rows[i][0][at] != w for at, w in zip(used, wanted)))
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
    folder = pathlib.Path(sys.argv[1])
    budgets = [float(text) for text in sys.argv[2:]] or [2.0, 10.0]
    sums = {budget: [] for budget in budgets}
    for path in sorted(folder.glob("*.csv")):
        line = path.stem
        for budget in budgets:
            found, tests = regret(path, budget, 1)
            sums[budget].append(found)
            line += f"  {budget:g} s: {found:.2f} ({tests} tests)"
        print(line, flush=True)
    for budget, found in sums.items():
        mean = math.exp(sum(map(math.log, found)) / len(found))
        close = sum(regret <= 1.05 for regret in found)
        print(f"{budget:g} s: mean {mean:.3f}, worst {max(found):.2f}, within 5 %: {close} of {len(found)}")


if __name__ == "__main__":
    main()
