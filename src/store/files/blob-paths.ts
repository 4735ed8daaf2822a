import { join } from 'node:path'

/** One of 256 folders. The end of a key is random; its beginning is a time. */
export function folderOfBlob(root: string, key: string): string {
  return join(root, key.slice(-2))
}

/** Is it the name of one of the folders with blobs? */
export function isBlobFolder(name: string): boolean {
  return /^[\da-f]{2}$/.test(name)
}
