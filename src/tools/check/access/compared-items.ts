import type { DescribedOperation } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import { itemsIn } from './item-members.ts'

/** The list of a collection, as one caller sees it. */
interface SeenList {
  readonly ids: readonly string[]
  /** False if there are more pages than the check reads. */
  readonly isWhole: boolean
}

/** A collection of items, as all callers see it. */
export interface ComparedCollection {
  /** The path of its list. */
  readonly path: string
  readonly lists: ReadonlyMap<CallerView, SeenList>
  /** The ids that any caller has learned from a list. */
  readonly ids: ReadonlySet<string>
  /** Responses to `GET` of items, by id and caller. */
  readonly items: ReadonlyMap<string, ReadonlyMap<CallerView, CallerResponse>>
}

/** How many items of a collection the check compares, and how many pages of a list it reads. */
const maxItems = 40
const maxPages = 10

/** Reads all collections as all callers. */
export async function readCollections(
  views: readonly CallerView[],
): Promise<readonly ComparedCollection[]> {
  const paths = new Set(views.flatMap(({ operations }) => collectionPaths(operations)))
  const collections: ComparedCollection[] = []
  for (const path of paths) {
    const lists = new Map<CallerView, SeenList>()
    for (const view of views) lists.set(view, await readList(view, path))
    const ids = new Set([...lists.values()].flatMap((list) => list.ids))
    const items = new Map<string, Map<CallerView, CallerResponse>>()
    for (const id of chosenIds([...lists.values()], ids)) {
      const responses = new Map<CallerView, CallerResponse>()
      for (const view of views) responses.set(view, await sendAs(view, 'GET', itemTarget(path, id)))
      items.set(id, responses)
    }
    collections.push({ path, lists, ids, items })
  }
  return collections
}

export function itemTarget(path: string, id: string): string {
  return `${path}/${encodeURIComponent(id)}`
}

/** The path of an item, below that of its list. */
export function isItemPath(path: string, listPath: string): boolean {
  return path.startsWith(`${listPath}/{`) && /^\/\{[^/]+\}$/.test(path.slice(listPath.length))
}

function collectionPaths(operations: readonly DescribedOperation[]): readonly string[] {
  const readable = operations.filter(({ method }) => method === 'GET').map(({ path }) => path)
  return readable.filter(
    (path) => !path.includes('{') && readable.some((other) => isItemPath(other, path)),
  )
}

/** Ids that not everybody sees come first. */
function chosenIds(lists: readonly SeenList[], ids: ReadonlySet<string>): readonly string[] {
  const isSeenByAll = (id: string) => lists.every((list) => list.ids.includes(id))
  return [...ids]
    .toSorted((one, other) => Number(isSeenByAll(one)) - Number(isSeenByAll(other)))
    .slice(0, maxItems)
}

async function readList(view: CallerView, path: string): Promise<SeenList> {
  const ids: string[] = []
  let target: string | undefined = path
  for (let page = 0; page < maxPages && target !== undefined; page++) {
    const response: CallerResponse = await sendAs(view, 'GET', target)
    if (response.status !== 200) return { ids, isWhole: false }
    ids.push(...itemsIn(response.json).map(({ id }) => id))
    target = nextTarget(response, path)
  }
  return { ids, isWhole: target === undefined }
}

/** The next page, of the header `Link` (RFC 8288) or of `links.next` in the body. */
function nextTarget({ headers, json }: CallerResponse, path: string): string | undefined {
  const links = isRecord(json) && isRecord(json.links) ? json.links : {}
  const inBody = isRecord(links.next) ? links.next.href : links.next
  const inHeader = /<([^>]+)>\s*;[^,]*rel="?next"?/.exec(headers.link ?? '')?.[1]
  const next = inHeader ?? (typeof inBody === 'string' ? inBody : undefined)
  const query = next?.indexOf('?') ?? -1
  return query < 0 ? undefined : path + next!.slice(query)
}
