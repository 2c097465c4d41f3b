//! Sheets of machines (`gw meter`) in a lab: beside the times of a machine stands what the machine reaches at best.

use gw_meter::{Sheet as MachineSheet, Target};
use rusqlite::{OptionalExtension, params};

use super::Lab;
use crate::error::{LabError, Result};

impl Lab {
    /// Keeps a sheet. Sheets of the same machine that were measured at other moments stay.
    pub fn store_machine(&mut self, sheet: &MachineSheet) -> Result<()> {
        let text = serde_json::to_string(sheet)
            .map_err(|error| LabError::Entry { place: "sheet".to_string(), message: error.to_string() })?;
        let change = self.write()?;
        change.execute(
            "INSERT OR REPLACE INTO MeterSheet(target, machine, measured, sheet) VALUES(?1, ?2, ?3, ?4)",
            params![sheet.target.name(), sheet.machine, sheet.measured, text],
        )?;
        Ok(change.commit()?)
    }

    /// The sheet about a target that was measured last; of the machine whose name has `name` in it, where one is given.
    pub fn machine(&self, target: Target, name: Option<&str>) -> Result<MachineSheet> {
        let found: Option<String> = self
            .connection
            .query_row(
                "SELECT sheet FROM MeterSheet WHERE target = ?1 AND (?2 IS NULL OR instr(lower(machine), lower(?2))) \
                 ORDER BY measured DESC, id DESC LIMIT 1",
                params![target.name(), name],
                |row| row.get(0),
            )
            .optional()?;
        let of = name.map(|name| format!(" of a machine named {name}")).unwrap_or_default();
        let wrong = |message: String| LabError::Entry { place: self.path.display().to_string(), message };
        let missing = || {
            wrong(format!(
                "the lab has no sheet for target {target}{of}; `gw meter --target {target} --lab LAB` adds one, and \
                 `gw lab list LAB machines` shows what is there"
            ))
        };
        MachineSheet::parse(&found.ok_or_else(missing)?, &self.path).map_err(|error| wrong(error.to_string()))
    }
}
