import { isDeepStrictEqual } from 'node:util'
import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { isShown } from './create-stored-item.ts'
import { blobKeysMember, type ResourcePathText } from './item-resources.ts'
import type { StoredItem } from './stored-item.ts'

type Members = Readonly<Record<string, unknown>>
type BlobKeys = Readonly<Record<ResourcePathText, string>>

/** Members among the hidden ones that the model does not declare. */
interface UndeclaredMembers {
  /** By the names under which they are stored. */
  readonly members: Members
  /** The keys of blobs that no declared resource refers to, by path. */
  readonly blobKeys: BlobKeys
}

/**
 * Adds what the stored item has and its model does not declare: writes keep it. Stores that keep
 * whole items call it before they replace one.
 *
 * ```ts
 * const changed = createStoredItem(book, { ...readStoredValues(book, item), price: 12 }, 2)
 * const written = keepUndeclaredMembers(book, changed, item)
 * ```
 */
export function keepUndeclaredMembers(
  model: ModelDescription,
  item: StoredItem,
  before: Pick<StoredItem, 'text' | 'hiddenText'>,
): StoredItem {
  const undeclared = undeclaredMembersIn(model, before.hiddenText)
  if (!undeclared) return item
  const { members, blobKeys } = undeclared
  return withHiddenMembers(item, {
    members,
    blobKeys: Object.fromEntries(
      Object.entries(blobKeys).filter(([path]) => {
        const name = memberOf(path)
        // The path may lead elsewhere in a value that has changed.
        return Object.hasOwn(members, name) || hasSameMember(item, before, name)
      }),
    ),
  })
}

/** Undefined if there are none. */
function undeclaredMembersIn(
  model: ModelDescription,
  hiddenText: string | null,
): UndeclaredMembers | undefined {
  if (hiddenText === null) return undefined
  const { hiddenNames, resourceNames } = declaredNames(model)
  const { [blobKeysMember]: keys = {}, ...hidden } = JSON.parse(hiddenText) as Members
  const members = Object.entries(hidden).filter(([name]) => !hiddenNames.has(name))
  const blobKeys = Object.entries(keys as BlobKeys).filter(
    ([path]) => !resourceNames.has(memberOf(path)),
  )
  if (members.length === 0 && blobKeys.length === 0) return undefined
  return { members: Object.fromEntries(members), blobKeys: Object.fromEntries(blobKeys) }
}

/** Is it a member that the model does not keep among the hidden ones? */
export function isUndeclaredMember(model: ModelDescription, name: string): boolean {
  return name !== blobKeysMember && !declaredNames(model).hiddenNames.has(name)
}

/** The hidden members that the model declares; null if there are none. */
export function withoutUndeclared(model: ModelDescription, hiddenText: string): string | null {
  const undeclared = undeclaredMembersIn(model, hiddenText)
  if (!undeclared) return hiddenText
  const { [blobKeysMember]: keys, ...hidden } = JSON.parse(hiddenText) as Members
  const members = Object.entries(hidden).filter(
    ([name]) => !Object.hasOwn(undeclared.members, name),
  )
  const blobKeys = Object.entries((keys ?? {}) as BlobKeys).filter(
    ([path]) => !Object.hasOwn(undeclared.blobKeys, path),
  )
  if (blobKeys.length > 0) members.push([blobKeysMember, Object.fromEntries(blobKeys)])
  return members.length === 0 ? null : JSON.stringify(Object.fromEntries(members))
}

/** Adds members to the hidden ones. */
export function withHiddenMembers(
  item: StoredItem,
  { members, blobKeys: addedKeys }: UndeclaredMembers,
): StoredItem {
  const { [blobKeysMember]: itemKeys, ...hidden }: Members =
    item.hiddenText === null ? {} : JSON.parse(item.hiddenText)
  const blobKeys = { ...addedKeys, ...(itemKeys as BlobKeys | undefined) }
  const all = {
    ...hidden,
    ...members,
    ...(Object.keys(blobKeys).length > 0 && { [blobKeysMember]: blobKeys }),
  }
  // Members that an item computes on access are not copied by a spread.
  const { id, text, relationsOffset, hash, revision } = item
  const hiddenText = Object.keys(all).length === 0 ? null : JSON.stringify(all)
  return { id, text, relationsOffset, hash, revision, hiddenText }
}

function memberOf(path: ResourcePathText): string {
  return path.split('/', 1)[0]!
}

function hasSameMember(
  { text }: StoredItem,
  before: Pick<StoredItem, 'text'>,
  name: string,
): boolean {
  return isDeepStrictEqual(JSON.parse(text)[name], JSON.parse(before.text)[name])
}

/** The members that the model keeps among the hidden ones, and those that have resources. */
const declaredNames = memoizeBy(
  ({ valueFields, resourceFields, resourcePaths }: ModelDescription) => ({
    hiddenNames: new Set(
      [...valueFields, ...resourceFields]
        .filter((field) => !isShown(field))
        .map(({ wireName }) => wireName),
    ),
    resourceNames: new Set(resourcePaths.map(({ itemField }) => itemField.wireName)),
  }),
)
