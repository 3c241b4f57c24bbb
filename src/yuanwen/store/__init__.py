"""The truth: sources, versions, passages with their text, tags, and a log of changes, in one SQLite file.

`writing.py` puts documents in and takes them out; `reading.py` gives them back. Nothing outside speaks SQL, but for the
index that lives in the same file.
"""
