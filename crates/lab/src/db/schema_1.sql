CREATE TABLE GlobalVars(
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE Platform(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    prettyName TEXT,
    target TEXT NOT NULL,
    hardware TEXT NOT NULL,
    available INTEGER NOT NULL DEFAULT 1,
    isDefault INTEGER NOT NULL DEFAULT 0 CHECK(isDefault IN (0, 1)),
    UNIQUE(target, hardware)
) STRICT;

CREATE TABLE Dataset(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE Graph(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    prettyName TEXT,
    datasetId INTEGER NOT NULL REFERENCES Dataset(id),
    timestamp TEXT NOT NULL,
    UNIQUE(name, datasetId)
) STRICT;

CREATE TABLE Algorithm(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    prettyName TEXT
) STRICT;

CREATE TABLE Implementation(
    id INTEGER PRIMARY KEY,
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    name TEXT,
    prettyName TEXT,
    program TEXT NOT NULL,
    schedule TEXT NOT NULL,
    target TEXT NOT NULL,
    type TEXT NOT NULL CHECK(type IN ('core', 'derived')),
    timestamp TEXT NOT NULL,
    UNIQUE(algorithmId, name, target),
    UNIQUE(algorithmId, program, schedule, target),
    UNIQUE(id, algorithmId)
) STRICT;

CREATE TABLE VariantConfig(
    id INTEGER PRIMARY KEY,
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    name TEXT NOT NULL,
    seed INTEGER,
    rootNumber INTEGER,
    count INTEGER,
    isDefault INTEGER NOT NULL CHECK(isDefault IN (0, 1)),
    timestamp TEXT NOT NULL,
    UNIQUE(algorithmId, name),
    UNIQUE(id, algorithmId)
) STRICT;

CREATE TABLE Variant(
    id INTEGER PRIMARY KEY,
    graphId INTEGER NOT NULL REFERENCES Graph(id),
    variantConfigId INTEGER NOT NULL,
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    root INTEGER,
    result BLOB,
    maxStepId INTEGER NOT NULL DEFAULT -1,
    propsStored INTEGER NOT NULL DEFAULT 0 CHECK(propsStored IN (0, 1)),
    retryCount INTEGER NOT NULL DEFAULT 0,
    UNIQUE(graphId, variantConfigId),
    UNIQUE(id, algorithmId),
    FOREIGN KEY(variantConfigId, algorithmId) REFERENCES VariantConfig(id, algorithmId)
) STRICT;

CREATE TABLE RunConfig(
    id INTEGER PRIMARY KEY,
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    platformId INTEGER NOT NULL REFERENCES Platform(id),
    datasetId INTEGER NOT NULL REFERENCES Dataset(id),
    algorithmVersion TEXT NOT NULL,
    repeats INTEGER NOT NULL CHECK(repeats > 0),
    timestamp TEXT NOT NULL,
    UNIQUE(algorithmId, platformId, datasetId, algorithmVersion),
    UNIQUE(id, algorithmId)
) STRICT;

CREATE TABLE Run(
    id INTEGER PRIMARY KEY,
    runConfigId INTEGER NOT NULL,
    variantId INTEGER NOT NULL,
    implId INTEGER NOT NULL,
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    timestamp TEXT NOT NULL,
    validated INTEGER NOT NULL CHECK(validated IN (0, 1)),
    UNIQUE(runConfigId, variantId, implId, algorithmId),
    UNIQUE(id, variantId),
    FOREIGN KEY(runConfigId, algorithmId) REFERENCES RunConfig(id, algorithmId),
    FOREIGN KEY(variantId, algorithmId) REFERENCES Variant(id, algorithmId),
    FOREIGN KEY(implId, algorithmId) REFERENCES Implementation(id, algorithmId)
) STRICT;
CREATE INDEX RunByVariant ON Run(variantId, implId);

CREATE TABLE PropertyName(
    id INTEGER PRIMARY KEY,
    property TEXT NOT NULL UNIQUE,
    isStepProp INTEGER NOT NULL CHECK(isStepProp IN (0, 1))
) STRICT;

CREATE TABLE GraphPropValue(
    graphId INTEGER NOT NULL REFERENCES Graph(id),
    propId INTEGER NOT NULL REFERENCES PropertyName(id),
    value REAL NOT NULL,
    PRIMARY KEY(graphId, propId)
) STRICT, WITHOUT ROWID;

CREATE TABLE StepProp(
    propId INTEGER NOT NULL REFERENCES PropertyName(id),
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    PRIMARY KEY(propId, algorithmId)
) STRICT, WITHOUT ROWID;

CREATE TABLE StepPropValue(
    variantId INTEGER NOT NULL,
    stepId INTEGER NOT NULL,
    propId INTEGER NOT NULL,
    algorithmId INTEGER NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY(variantId, stepId, propId),
    FOREIGN KEY(propId, algorithmId) REFERENCES StepProp(propId, algorithmId),
    FOREIGN KEY(variantId, algorithmId) REFERENCES Variant(id, algorithmId)
) STRICT, WITHOUT ROWID;

CREATE TABLE TotalTimer(
    runId INTEGER NOT NULL REFERENCES Run(id),
    name TEXT NOT NULL,
    minTime REAL NOT NULL,
    avgTime REAL NOT NULL,
    maxTime REAL NOT NULL,
    stdDev REAL NOT NULL,
    PRIMARY KEY(runId, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE StepTimer(
    runId INTEGER NOT NULL,
    variantId INTEGER NOT NULL,
    stepId INTEGER NOT NULL,
    name TEXT NOT NULL,
    minTime REAL NOT NULL,
    avgTime REAL NOT NULL,
    maxTime REAL NOT NULL,
    stdDev REAL NOT NULL,
    PRIMARY KEY(runId, stepId, name),
    FOREIGN KEY(runId, variantId) REFERENCES Run(id, variantId)
) STRICT, WITHOUT ROWID;

CREATE TABLE ExternalImpl(
    id INTEGER PRIMARY KEY,
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    name TEXT NOT NULL,
    prettyName TEXT,
    UNIQUE(algorithmId, name),
    UNIQUE(id, algorithmId)
) STRICT;

CREATE TABLE ExternalTimer(
    platformId INTEGER NOT NULL REFERENCES Platform(id),
    variantId INTEGER NOT NULL,
    implId INTEGER NOT NULL,
    algorithmId INTEGER NOT NULL,
    name TEXT NOT NULL,
    minTime REAL NOT NULL,
    avgTime REAL NOT NULL,
    maxTime REAL NOT NULL,
    stdDev REAL NOT NULL,
    PRIMARY KEY(platformId, variantId, implId, algorithmId, name),
    FOREIGN KEY(variantId, algorithmId) REFERENCES Variant(id, algorithmId),
    FOREIGN KEY(implId, algorithmId) REFERENCES ExternalImpl(id, algorithmId)
) STRICT, WITHOUT ROWID;

CREATE TABLE PredictionModel(
    id INTEGER PRIMARY KEY,
    platformId INTEGER NOT NULL REFERENCES Platform(id),
    algorithmId INTEGER NOT NULL REFERENCES Algorithm(id),
    algorithmVersion TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    prettyName TEXT,
    description TEXT,
    model BLOB NOT NULL,
    skipIncomplete INTEGER NOT NULL CHECK(skipIncomplete IN (0, 1)),
    trainGraphs REAL NOT NULL,
    trainVariants REAL NOT NULL,
    trainSteps REAL NOT NULL,
    trainSeed INTEGER NOT NULL,
    totalUnknownCount INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    UNIQUE(id, algorithmId)
) STRICT;

CREATE TABLE ModelTrainDataset(
    modelId INTEGER NOT NULL REFERENCES PredictionModel(id),
    datasetId INTEGER NOT NULL REFERENCES Dataset(id),
    PRIMARY KEY(modelId, datasetId)
) STRICT, WITHOUT ROWID;

CREATE TABLE ModelProperty(
    modelId INTEGER NOT NULL REFERENCES PredictionModel(id),
    propId INTEGER NOT NULL REFERENCES PropertyName(id),
    propertyIdx INTEGER NOT NULL,
    importance REAL NOT NULL,
    PRIMARY KEY(modelId, propId)
) STRICT, WITHOUT ROWID;

CREATE TABLE UnknownPrediction(
    id INTEGER PRIMARY KEY,
    modelId INTEGER NOT NULL,
    algorithmId INTEGER NOT NULL,
    unknownSetId INTEGER NOT NULL,
    count INTEGER NOT NULL,
    UNIQUE(modelId, unknownSetId),
    UNIQUE(id, algorithmId),
    FOREIGN KEY(modelId, algorithmId) REFERENCES PredictionModel(id, algorithmId)
) STRICT;

CREATE TABLE UnknownPredictionSet(
    unknownPredId INTEGER NOT NULL,
    implId INTEGER NOT NULL,
    algorithmId INTEGER NOT NULL,
    PRIMARY KEY(unknownPredId, implId),
    FOREIGN KEY(unknownPredId, algorithmId) REFERENCES UnknownPrediction(id, algorithmId),
    FOREIGN KEY(implId, algorithmId) REFERENCES Implementation(id, algorithmId)
) STRICT, WITHOUT ROWID;
