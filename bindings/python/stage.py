"""Puts the package into a folder as an installation would, with the extension module that cargo has built.

    stage.py MODULE FOLDER

Python finds the package where FOLDER is on its path; `maturin` makes the wheels that people install.
"""

import shutil
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def main(module: Path, folder: Path) -> None:
    """Makes the folder anew."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    version = tomllib.loads((HERE / "../../Cargo.toml").read_text())["workspace"]["package"]["version"]
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(HERE / "python", folder, ignore=ignored)
    shutil.copyfile(module, folder / "graphwright" / "_native.abi3.so")
    about = folder / f"{project['name']}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n")
    groups = project["entry-points"].items()
    texts = [f"[{name}]\n" + "".join(f"{key} = {place}\n" for key, place in group.items()) for name, group in groups]
    (about / "entry_points.txt").write_text("\n".join(texts))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
