"""ListSync keeps every version of identified, ordered lists.

`Store` has the lists of a file or database, by the program `listsync`. `listsync.client` follows a list of a server or of a
publication, and needs no program. In a shell: python3 -m listsync --help
"""
from .client import Conflict, Delta, ListSyncError, State
from .store import Commit, ConflictError, Counts, ItemChange, MemberChange, ProgramError, Revision, Store, Time, Version

__all__ = ["Commit", "Conflict", "ConflictError", "Counts", "Delta", "ItemChange", "ListSyncError", "MemberChange", "ProgramError",
           "Revision", "State", "Store", "Time", "Version"]
