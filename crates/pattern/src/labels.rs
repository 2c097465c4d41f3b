//! Labels of nodes: texts, numbered once, so that a query and its targets agree about the numbers.

use rustc_hash::FxHashMap;

/// The number of a label.
pub type LabelId = u32;

/// The labels of some graphs. Graphs that shall be matched with each other are read with the same table.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    texts: Vec<String>,
    ids: FxHashMap<String, LabelId>,
}

impl Labels {
    /// The number of a text, which is given one where it has none.
    pub fn intern(&mut self, text: &str) -> LabelId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = self.texts.len() as LabelId;
        self.texts.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        id
    }

    /// The text of a label.
    pub fn text(&self, id: LabelId) -> &str {
        &self.texts[id as usize]
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
