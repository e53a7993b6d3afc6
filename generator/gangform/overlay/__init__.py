"""From plans to the files of an overlay: a folder in memory, never on a disk.

``layout`` lays it out, ``marks`` says what a plan changes in a job, ``patches`` writes that for
kustomize, ``adoption`` judges groups that the source already holds, ``references`` keeps names whole
under renames, ``stems`` names the files. Pure: nothing here reads, runs or writes anything.
"""
