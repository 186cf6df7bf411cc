"""What an installed package is asked in an environment that holds nothing else."""

import pathlib
import sys
import tempfile

import cmnet

table = sys.argv[1]
learned = cmnet.learn(table)
model = learned.selected
assert model is not None
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "heart.model.json"
    model.save(path)
    again = cmnet.Model.load(path)
assert again.edges == model.edges and len(model.edges) > 0
print(f"  cmnet {cmnet.__version__} of {pathlib.Path(cmnet.__file__).parent.name}: {len(model.edges)} edges")
