"""Measurements that anyone with the corpora can repeat; see README.md of this folder."""
