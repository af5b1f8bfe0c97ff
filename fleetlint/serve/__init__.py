"""The results over HTTP, for an admin UI and in pages of its own. Needs the extra `fleetlint[serve]`.

One process answers and never derives; a child of it derives (`worker`), and another one takes its place when it dies.
"""
