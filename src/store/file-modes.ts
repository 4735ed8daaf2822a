/**
 * The mode of files that are made here: nobody but the user that runs the service reads what
 * clients entrusted to it.
 */
export const ownerFileMode = 0o600

/** Of folders that are made here. Those that are there already keep theirs. */
export const ownerFolderMode = 0o700
