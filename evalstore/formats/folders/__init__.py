"""Folders (and databases) that hold several runs, see `registry.folder_formats`.

Only files inside a folder are read: a link that leads out of it is left out, with a warning.
"""
