-- What a run was taken with, beyond the platform's name.
CREATE TABLE Environment(
    id INTEGER PRIMARY KEY,
    cpu TEXT NOT NULL,
    cores INTEGER NOT NULL,
    threads INTEGER NOT NULL,
    memoryBytes INTEGER NOT NULL,
    os TEXT NOT NULL,
    device TEXT NOT NULL,
    deviceCapability TEXT NOT NULL,
    deviceMemoryBytes INTEGER NOT NULL,
    driver TEXT NOT NULL,
    compiler TEXT NOT NULL,
    version TEXT NOT NULL,
    algorithmVersion TEXT NOT NULL,
    UNIQUE(cpu, cores, threads, memoryBytes, os, device, deviceCapability, deviceMemoryBytes, driver, compiler,
           version, algorithmVersion)
) STRICT;

-- NULL in rows of version 1: nobody noted it then.
ALTER TABLE Run ADD COLUMN environmentId INTEGER REFERENCES Environment(id);
ALTER TABLE Run ADD COLUMN samples INTEGER;
ALTER TABLE Run ADD COLUMN result BLOB;
UPDATE Run SET samples = (SELECT repeats FROM RunConfig WHERE RunConfig.id = Run.runConfigId);

-- Where a graph comes from, and what it was when it was first loaded.
ALTER TABLE Graph ADD COLUMN class TEXT;
ALTER TABLE Graph ADD COLUMN source TEXT;
ALTER TABLE Graph ADD COLUMN licence TEXT;
ALTER TABLE Graph ADD COLUMN contentHash TEXT;

-- Why the properties of a variant could not be worked out the last time.
ALTER TABLE Variant ADD COLUMN problem TEXT;

-- Runs that failed: how often, and why the last time.
CREATE TABLE Failure(
    runConfigId INTEGER NOT NULL REFERENCES RunConfig(id),
    variantId INTEGER NOT NULL REFERENCES Variant(id),
    implId INTEGER NOT NULL REFERENCES Implementation(id),
    count INTEGER NOT NULL,
    message TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    PRIMARY KEY(runConfigId, variantId, implId)
) STRICT, WITHOUT ROWID;

-- Who works on what. A claim whose process is gone is void.
CREATE TABLE Claim(
    graphId INTEGER NOT NULL REFERENCES Graph(id),
    runConfigId INTEGER NOT NULL,
    implId INTEGER NOT NULL,
    process TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    PRIMARY KEY(graphId, runConfigId, implId)
) STRICT, WITHOUT ROWID;
