#!/usr/bin/env python3
"""Copies a lab without its measurements and without the models that alternate, and adds a model whose tree is one leaf.
Graphs that all models have learned from are left out: nothing is judged on them.

Usage: again.py LAB COPY MODEL CONSTANT IMPLEMENTATION
CONSTANT becomes a copy of MODEL that always answers IMPLEMENTATION.
"""
import json
import shutil
import sqlite3
import sys

lab, copy, model, constant, implementation = sys.argv[1:]
shutil.copy(lab, copy)
db = sqlite3.connect(copy)
for table in ("StepTimer", "TotalTimer", "Run", "RunConfig", "Claim", "Failure"):
    db.execute(f"DELETE FROM {table}")
db.execute("DELETE FROM Implementation WHERE name LIKE 'alternate-%'")

seen = [set(json.loads(text)["training_graphs"]) for (text,) in db.execute("SELECT model FROM PredictionModel WHERE name LIKE 'blind-%'")]
for key, name in db.execute("SELECT id, name FROM Graph").fetchall():
    if all(name in graphs for graphs in seen):
        for (variant,) in db.execute("SELECT id FROM Variant WHERE graphId = ?", (key,)).fetchall():
            db.execute("DELETE FROM StepPropValue WHERE variantId = ?", (variant,))
            db.execute("DELETE FROM Variant WHERE id = ?", (variant,))
        db.execute("DELETE FROM GraphPropValue WHERE graphId = ?", (key,))
        db.execute("DELETE FROM Graph WHERE id = ?", (key,))

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
