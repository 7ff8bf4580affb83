"""Kernels: the compiled inner loops. They know arrays, never variants.

Every kernel takes flat arrays and numbers prepared by plain Python (`merels.indexing`, `merels.retrograde`) and trusts them.
Checking arguments, choosing tables and the order of work do not live here.

Conventions shared by all kernels:

- sets of points are bit masks held in ``int64`` registers (at most 27 bits), stored as ``uint32``;
- a *value code* of a finished table is the distance in plies (odd: won, even: lost) or the largest number of its dtype: drawn;
- "U" is the set of stones of the player to move, "T" that of the other player; a row belongs to a class of T, a column to a rank of U.
"""
