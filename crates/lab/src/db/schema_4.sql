-- Energy by a meter of the machine. Joules include idle power; they are NULL where nobody metered.
ALTER TABLE TuneTrial ADD COLUMN joules REAL;

-- The energy of a run: it was repeated while the meter was read. Seconds are those of a repeated run.
CREATE TABLE RunEnergy(
    runId INTEGER PRIMARY KEY REFERENCES Run(id),
    joules REAL NOT NULL,
    watts REAL NOT NULL,
    spread REAL NOT NULL,
    highestWatts REAL,
    seconds REAL NOT NULL,
    runs INTEGER NOT NULL,
    meter TEXT NOT NULL
) STRICT;

-- What machines reach at best: sheets of `gw meter` as JSON.
CREATE TABLE MeterSheet(
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    machine TEXT NOT NULL,
    measured TEXT NOT NULL,
    sheet TEXT NOT NULL,
    UNIQUE(target, machine, measured)
) STRICT;
