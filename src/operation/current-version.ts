import type { StoredItem } from '../stored-item/stored-item.ts'

/** The tag of a representation is the version, or begins with it and a dot. */
export function isCurrentVersion({ hash }: StoredItem, tag: string): boolean {
  return hash !== null && (tag === hash || tag.startsWith(`${hash}.`))
}
