//! `gw completions` and `gw man`: what shells and `man` read, made from the commands themselves.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::error::ToolError;

/// Arguments of `gw completions`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  gw completions bash > ~/.local/share/bash-completion/completions/gw
  gw completions zsh > \"${fpath[1]}/_gw\"
  gw completions fish > ~/.config/fish/completions/gw.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(self, mut command: Command) -> Result<(), ToolError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "gw", &mut script);
        crate::output::text(&String::from_utf8_lossy(&script))
    }
}

/// Arguments of `gw man`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  gw man | man -l -                          reads the page
  gw man --folder ~/.local/share/man/man1    installs a page per command: gw.1, gw-run.1, ...")]
pub struct Man {
    /// Write a page per command into this folder instead
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

impl Man {
    /// Prints the page of `gw`, or writes all pages.
    pub fn run(self, command: Command) -> Result<(), ToolError> {
        match self.folder {
            Some(folder) => {
                let made = std::fs::create_dir_all(&folder).and_then(|()| clap_mangen::generate_to(command, &folder));
                made.map_err(|error| ToolError::usage(format!("--folder {}: {error}", folder.display())))
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command).render(&mut page)?;
                crate::output::text(&String::from_utf8_lossy(&page))
            }
        }
    }
}
