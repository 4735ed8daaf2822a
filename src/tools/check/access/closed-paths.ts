import { isRecord } from '../document-node.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import type { ComparedCollection } from './compared-items.ts'
import { itemsIn, membersOf } from './item-members.ts'

/** How many values the check tries for a filter by a member of items that a caller does not see. */
const maxValues = 20

/**
 * Paths through a relation that the caller sees, to items of which it may see none. Its document
 * leaves them out, and the service may take them, because the same path leads other callers
 * somewhere. So it counts what responses tell.
 * @param foreignIncludes the includes that the document of another caller has in addition
 */
export function closedPaths(
  view: CallerView,
  foreignIncludes: readonly string[],
  collections: readonly ComparedCollection[],
): ReadonlySet<string> {
  const shown = new Set<string>()
  for (const { items } of collections)
    for (const responses of items.values()) addNames(responses.get(view)?.json, shown)
  const closed = new Set<string>()
  // Relations stand before those that they lead to.
  for (const path of foreignIncludes.toSorted((one, other) => one.length - other.length)) {
    const isShown = shown.has(path.slice(path.lastIndexOf('.') + 1))
    if (isThrough(path, foreignIncludes) ? isThrough(path, closed) : isShown) closed.add(path)
  }
  return closed
}

/** Does the path begin with one of these? */
export function isThrough(path: string, relations: Iterable<string>): boolean {
  return [...relations].some((relation) => path.startsWith(`${relation}.`))
}

function addNames(json: unknown, names: Set<string>): void {
  if (typeof json !== 'object' || json === null) return
  for (const [name, value] of Object.entries(json)) {
    if (!Array.isArray(json)) names.add(name)
    addNames(value, names)
  }
}

/** The first response to a filter by a value of hidden items that finds something. */
export async function findByHiddenValue(
  view: CallerView,
  target: string,
  member: string,
  collections: readonly ComparedCollection[],
  absent: CallerResponse,
): Promise<CallerResponse | undefined> {
  const name = member.slice(member.lastIndexOf('.') + 1)
  for (const value of hiddenValues(view, name, collections)) {
    const response = await sendAs(view, 'GET', `${target}=${encodeURIComponent(value)}`)
    const found = JSON.stringify(itemsIn(response.json))
    if (response.status < 400 && found !== JSON.stringify(itemsIn(absent.json))) return response
  }
  return undefined
}

/** What other callers see in a member of items; values that this caller does not see come first. */
function hiddenValues(
  view: CallerView,
  name: string,
  collections: readonly ComparedCollection[],
): readonly string[] {
  const hidden = new Set<string>()
  const shown = new Set<string>()
  for (const { items } of collections)
    for (const [id, responses] of items) {
      const isHidden = responses.get(view)?.status !== 200
      for (const { json } of responses.values()) {
        const value = name === 'id' ? id : membersOf(json, id)[name]
        if (['string', 'number', 'boolean'].includes(typeof value))
          (isHidden ? hidden : shown).add(String(value))
      }
    }
  return [...new Set([...hidden, ...shown])].slice(0, maxValues)
}

/** Items that nothing distinguishes are sorted by their ids. */
export function baselinesOfSort(key: string): readonly string[] {
  return key.startsWith('-') ? ['sort=id', 'sort=-id'] : ['sort=id']
}

/** The same include without the last relations, up to one that the caller knows. */
export function baselinesOfInclude(path: string, known: ReadonlySet<string>): readonly string[] {
  const names = path.split('.')
  const prefixes = names.map((_, index) => names.slice(0, names.length - index).join('.'))
  const prefix = prefixes.find((each) => known.has(each))
  return prefix === undefined ? [] : [`include=${encodeURIComponent(prefix)}`]
}

/** The body without its links, which repeat the query, and without lists of no items. */
export function contentOf(json: unknown): string {
  if (!isRecord(json)) return JSON.stringify(json)
  const members = Object.entries(json).filter(
    ([name, value]) => name !== 'links' && !(Array.isArray(value) && value.length === 0),
  )
  return JSON.stringify(Object.fromEntries(members))
}
