import { isDeepStrictEqual } from 'node:util'
import type { ItemVersion } from '../../store/history/version-table.ts'
import { withHash } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { VersionInput } from '../operation-input.ts'

/**
 * The versions, each with the hash of the item where it shows the same members. So nobody learns
 * from another hash that hidden members have changed since.
 */
export async function withCurrentHash(
  { store, sent, context }: VersionInput,
  current: StoredItem,
  versions: readonly ItemVersion[],
): Promise<readonly ItemVersion[]> {
  const { hash } = current
  if (hash === null || versions.length === 0) return versions
  const items = [current, ...versions.map(({ item }) => item)]
  const [currentMembers, ...members] = await sent.membersOf(store, items, context)
  return versions.map((version, index) =>
    isDeepStrictEqual(members[index], currentMembers)
      ? {
          ...version,
          item: withHash(version.item, hash),
        }
      : version,
  )
}
