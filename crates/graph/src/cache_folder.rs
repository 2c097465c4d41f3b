//! The folder in which everything is kept that can be made again: compiled kernels, tuned schedules, sheets of
//! machines.

use std::ffi::OsString;
use std::path::PathBuf;

/// The user's folder: the one in `GW_CACHE`, else `graphwright` in `XDG_CACHE_HOME` or in `~/.cache`. `None` where
/// `GW_CACHE` is empty, which says that nothing shall be kept, or where no folder is known.
pub fn cache_folder() -> Option<PathBuf> {
    folder_by(|name| std::env::var_os(name))
}

fn folder_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if variable("GW_CACHE").is_some() {
        return set("GW_CACHE");
    }
    let caches = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    Some(caches.or_else(|| set("LOCALAPPDATA"))?.join("graphwright"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_folder() {
        let folder = |variables: &[(&str, &str)]| {
            let value = |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into());
            folder_by(value).map(|folder| folder.display().to_string())
        };
        let (home, caches) = (("HOME", "/home/me"), ("XDG_CACHE_HOME", "/caches"));
        assert_eq!(folder(&[home, caches, ("GW_CACHE", "/mine")]).as_deref(), Some("/mine"));
        assert_eq!(folder(&[home, caches, ("GW_CACHE", "")]), None);
        assert_eq!(folder(&[home, caches]).as_deref(), Some("/caches/graphwright"));
        assert_eq!(folder(&[home, ("XDG_CACHE_HOME", "")]).as_deref(), Some("/home/me/.cache/graphwright"));
        assert_eq!(folder(&[("LOCALAPPDATA", "/local")]).as_deref(), Some("/local/graphwright"));
        assert_eq!(folder(&[]), None);
    }
}
