import { isDeepStrictEqual } from 'node:util'
import { bodyOf } from './create-stored-item.ts'
import type { StoredItem } from './stored-item.ts'

/** The names, as clients send them, of the members in which two states of an item differ. */
export function changedMembers(one: StoredItem, other: StoredItem): readonly string[] {
  const before = membersOf(one)
  const after = membersOf(other)
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

/** All members, also hidden ones, with an empty hash. */
function membersOf(item: StoredItem): Readonly<Record<string, unknown>> {
  const shown = JSON.parse(item.hash === null ? item.text : `${bodyOf(item)}"}`)
  return item.hiddenText === null ? shown : { ...shown, ...JSON.parse(item.hiddenText) }
}
