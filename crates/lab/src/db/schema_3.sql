-- What tuners measured: a program on a graph and a machine. The graph is known by its signature and its features alone;
-- its name is for the owner of the lab.
CREATE TABLE TuneCell(
    id INTEGER PRIMARY KEY,
    program TEXT NOT NULL,
    programHash TEXT NOT NULL,
    graph TEXT NOT NULL,
    graphName TEXT,
    features TEXT NOT NULL,
    target TEXT NOT NULL,
    hardware TEXT NOT NULL,
    algorithmVersion TEXT NOT NULL,
    UNIQUE(programHash, graph, target, hardware, algorithmVersion)
) STRICT;

-- One run of a schedule with one of the inputs of the cell. Seconds of a run that was ended are those of its limit.
CREATE TABLE TuneTrial(
    id INTEGER PRIMARY KEY,
    cellId INTEGER NOT NULL REFERENCES TuneCell(id),
    schedule TEXT NOT NULL,
    input INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK(outcome IN ('done', 'slow', 'failed')),
    seconds REAL NOT NULL,
    bytes INTEGER NOT NULL,
    compileSeconds REAL NOT NULL,
    timestamp TEXT NOT NULL,
    number INTEGER NOT NULL,
    UNIQUE(cellId, timestamp, number)
) STRICT;
CREATE INDEX TuneTrialBySchedule ON TuneTrial(cellId, schedule);
