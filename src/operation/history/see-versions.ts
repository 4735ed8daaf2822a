import { isDeepStrictEqual } from 'node:util'
import type { Condition } from '../../query/query-plan.ts'
import type { ItemVersion } from '../../store/history/version-table.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { VersionInput } from '../operation-input.ts'
import { type SeenPastItem, seenPastItem } from '../past-item.ts'

/** A version, and how the caller sees it. */
export interface SeenVersion extends SeenPastItem {
  /** Without the time and the caller, where these may be those of a hidden change. */
  readonly version: ItemVersion
}

/**
 * How the caller sees each of the versions, the newest first. Undefined for one that it does not
 * see, and for one that a write made which changed nothing that it sees.
 * @param versions those that follow each other, and the one before them, if it is kept
 * @param count so many of them are asked for
 * @param condition what a version that the caller sees satisfies
 */
export async function seeVersions(
  reader: StoreReader,
  input: VersionInput,
  versions: readonly ItemVersion[],
  count: number,
  condition: Condition,
): Promise<readonly (SeenVersion | undefined)[]> {
  const { sent, context } = input
  const seen: (SeenVersion | undefined)[] = []
  for (const version of versions) {
    const item = await seenPastItem(reader, input, version.item, condition)
    seen.push(item && { ...item, version })
  }
  const visible = seen.filter((each) => each !== undefined)
  const members = await sent.membersOf(
    reader,
    visible.map(({ shown }) => shown),
    context,
  )
  const membersOf = new Map(visible.map((each, index) => [each, members[index]]))
  return seen.slice(0, count).map((each, index) => {
    const ownMembers = each && membersOf.get(each)
    if (!each || !ownMembers) return undefined
    const { version } = each
    if (!version.changed) return each
    const isKept = versions[index + 1]?.number === version.number - 1
    if (!isKept) return isShownWrite(input, each) ? each : withoutFacts(each)
    const before = seen[index + 1]
    return before && isDeepStrictEqual(membersOf.get(before), ownMembers) ? undefined : each
  })
}

/** Did the write change what the caller sees, whatever the version before it held? */
function isShownWrite(
  { sent: { sentAsStored } }: VersionInput,
  { version: { changed }, masked }: SeenVersion,
): boolean {
  return changed!.some((wireName) => {
    const name = sentAsStored.get(wireName)
    return name !== undefined && !masked.has(name)
  })
}

function withoutFacts(seen: SeenVersion): SeenVersion {
  return { ...seen, version: { ...seen.version, timeMs: null, caller: null } }
}
