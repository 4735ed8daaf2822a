import { type Item, modelOf, type ReceivedDocument } from './format.ts'
import { get, type ModelRequests } from './model-requests.ts'
import type { AnyQuery } from './query-text.ts'
import { readItems } from './read-items.ts'

/** Parameters of a page, as a list returns them for its neighbours. */
type AnyPage = Readonly<Record<string, string>>

/** A page of a list, or a whole list. */
export interface AnyList {
  readonly items: Item[]
  readonly total: number | undefined
  readonly nextPage: AnyPage | undefined
  readonly previousPage: AnyPage | undefined
  readonly aggregates?: unknown
  readonly facets?: unknown
  readonly highlights?: unknown
}

export async function getList(
  requests: ModelRequests,
  path: string,
  query: AnyQuery,
): Promise<{ readonly list: AnyList; readonly position: string | null }> {
  const { manifest, format, plural } = requests
  const response = await get(requests, path, query)
  const document: ReceivedDocument = await response.json()
  const { page, ...summary } = document.meta ?? {}
  const links = format.pageLinks(document, response.headers)
  const pageOf = (name: string) =>
    pageIn(links[name] ?? '') ?? pageIn(`?${page?.parameters?.[name]}`)
  return {
    list: {
      ...summary,
      items: readItems(manifest, format, plural, document, query.include),
      total: page?.total,
      nextPage: pageOf('next'),
      previousPage: pageOf('prev'),
    },
    position: response.headers.get('changes-position'),
  }
}

/** All items of a list, one page in memory at a time. */
export async function* streamItems(
  requests: ModelRequests,
  path: string,
  { page, ...query }: AnyQuery,
): AsyncGenerator<Item, void, undefined> {
  let next: AnyQuery['page'] = { size: Math.min(100, maxPageSizeOf(requests)), ...page }
  while (next) {
    const { list }: { readonly list: AnyList } = await getList(requests, path, {
      ...query,
      page: next,
    })
    yield* list.items
    next = list.nextPage
  }
}

export function maxPageSizeOf({ manifest, plural }: ModelRequests): number {
  return modelOf(manifest, plural).maxPageSize ?? 1_000
}

/** The `page` parameters of an address. */
function pageIn(address: string): AnyPage | undefined {
  const parameters = new URLSearchParams(address.slice(address.indexOf('?') + 1))
  const page = [...parameters].flatMap(([name, value]) => {
    const [, member] = /^page\[(\w+)\]$/.exec(name) ?? []
    return member === undefined ? [] : [[member, value] as const]
  })
  return page.length > 0 ? Object.fromEntries(page) : undefined
}
