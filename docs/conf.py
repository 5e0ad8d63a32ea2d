"""Sphinx configuration of the documentation site. `python docs/build_site.py` builds it."""

from __future__ import annotations

import torch
from website import docstrings

project = "Torchsmith"
copyright = "the Torchsmith authors"
version = release = torch.__version__.partition("+torchsmith.")[2] or torch.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
html_theme = "furo"
html_title = f"Torchsmith {version}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["website/static"]
html_css_files = ["site.css"]

toc_object_entries = False  # every page would carry the names of all objects: a third of the time

myst_heading_anchors = 4
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
highlight_language = "none"

autodoc_member_order = "alphabetical"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_custom_sections = [("Shape", "notes_style")]
napoleon_use_rtype = False
napoleon_preprocess_types = False

# A reference to something that has no entry fails the build. Types in signatures are exempt: many
# of them are private or belong to other packages.
nitpicky = True
nitpick_ignore_regex = [("py:(class|data|exc)", ".*"), ("py:obj", r".*\.T_co")]
suppress_warnings = ["ref.python"]  # a type such as `type` that is also the name of several methods


def setup(app) -> None:
    docstrings.connect(app)
