/** The names of the parts of a backup in its folder. */
export const itemsName = 'items.db'
/** A file of SQLite, or a folder. */
export const blobsName = 'blobs'
