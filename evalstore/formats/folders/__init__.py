"""Folders (and databases) that hold several runs: one file for each format, see `folder_formats`.

Only what is inside a folder is read: a link that leads out of it is left out, with a warning.
"""
