/** The mode of new files: only the user that runs the service can read them. */
export const ownerFileMode = 0o600

/** The mode of new folders. Existing folders keep their mode. */
export const ownerFolderMode = 0o700
