"""Known: what is known of these games elsewhere, and what our tables say to it.

`facts` holds the figures of literature and of independent programs with their sources, `ours` finds our side in the tables of a store or
in the results that come with the program, `computing` says how each figure is answered, `comparing` judges. `results` makes and reads
those results, one file a variant.
"""
