#!/usr/bin/env python3
"""Makes the lab in which models are judged: a copy of the lab they learned from, with its implementations and models, without
its graphs and measurements and without the models that alternate. A model whose tree is one leaf is added.

Usage: judged.py LAB COPY MODEL CONSTANT IMPLEMENTATION
CONSTANT becomes a copy of MODEL that always answers IMPLEMENTATION: it shows what asking a model costs.
"""
import json
import shutil
import sqlite3
import sys

lab, copy, model, constant, implementation = sys.argv[1:]
shutil.copy(lab, copy)
db = sqlite3.connect(copy)
tables = ("StepTimer", "TotalTimer", "Run", "RunConfig", "Claim", "Failure", "StepPropValue", "Variant", "GraphPropValue", "Graph")
for table in tables:
    db.execute(f"DELETE FROM {table}")
db.execute("DELETE FROM Implementation WHERE name LIKE 'alternate-%'")

columns = [row[1] for row in db.execute("PRAGMA table_info(PredictionModel)")]
row = dict(zip(columns, db.execute("SELECT * FROM PredictionModel WHERE name = ?", (model,)).fetchone()))
key, schedule = db.execute(
    "SELECT i.id, i.schedule FROM Implementation i WHERE i.name = ? AND i.type = 'core'", (implementation,)
).fetchone()
text = json.loads(row["model"])
candidate = {"name": implementation, "schedule": schedule, "implementation": key}
text.update(name=constant, tree=str(0), candidates=[candidate], features=[], ties=[], training=None)
row.pop("id")
row.update(name=constant, description="always the same", model=json.dumps(text).encode(), totalUnknownCount=0)
marks = ",".join("?" * len(row))
db.execute(f"INSERT INTO PredictionModel({','.join(row)}) VALUES ({marks})", list(row.values()))
db.commit()
broken = db.execute("PRAGMA foreign_key_check").fetchall()
if broken:
    sys.exit(f"{copy}: {len(broken)} references lead nowhere")
