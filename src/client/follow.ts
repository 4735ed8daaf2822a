import { ClientError } from './client-error.ts'
import { readEvents } from './event-stream.ts'
import type { Item, ReceivedDocument } from './format.ts'
import { getList, maxPageSizeOf } from './lists.ts'
import { get, type ModelRequests } from './model-requests.ts'
import type { AnyQuery } from './query-text.ts'
import { readItems } from './read-items.ts'
import { delay, retryDelayMs } from './retry-delay.ts'

/** A change of a followed list. */
type AnyChange =
  | { readonly kind: 'create' | 'update'; readonly id: string; readonly item: Item }
  | { readonly kind: 'delete'; readonly id: string }

/** A list as it is now, and the changes that led here; none after it was read as a whole. */
export interface AnyFollowedList {
  readonly items: Item[]
  readonly changes: readonly AnyChange[]
}

/**
 * Reads a list, and follows its changes until the signal is aborted or the loop ends. It yields the
 * list after each transaction. Connections that end are made again from the last position.
 */
export async function* followList(
  requests: ModelRequests,
  query: AnyQuery,
): AsyncGenerator<AnyFollowedList, void, undefined> {
  const path = `/${requests.plural}`
  // Ends the connection where the loop of the caller ends.
  const controller = new AbortController()
  const signal = query.signal
    ? AbortSignal.any([query.signal, controller.signal])
    : controller.signal
  let items = new Map<string, Item>()
  let position: string | undefined
  let attempt = 0
  try {
    for (;;) {
      let retryMs: number | undefined
      try {
        if (position === undefined) {
          const list = await readWholeList(requests, path, { ...query, signal })
          ;({ items, position } = list)
          yield { items: [...items.values()], changes: [] }
        }
        const changes: AnyChange[] = []
        for await (const event of readEvents(
          await connect(requests, path, query, position, signal),
        )) {
          attempt = 0
          if (event.retry) retryMs = Number(event.retry)
          if (event.event === 'reset') {
            position = undefined
            break
          }
          if (event.data) changes.push(readChange(requests, event.event!, JSON.parse(event.data)))
          // The events of a transaction stand together, and only the last of them has an id.
          if (!event.id) continue
          position = event.id
          if (changes.length === 0) continue
          const applied = changes.splice(0)
          for (const change of applied)
            if (change.kind === 'delete') items.delete(change.id)
            else items.set(change.id, change.item)
          yield { items: [...items.values()], changes: applied }
        }
      } catch (error) {
        if (signal.aborted || !isTemporary(error)) throw error
        if (error instanceof ClientError && isLostPosition(error)) position = undefined
      }
      await delay(retryMs ?? retryDelayMs(++attempt)!, signal)
    }
  } finally {
    controller.abort()
  }
}

/** The position is that before the first page: changes that pages have already come once more. */
async function readWholeList(
  requests: ModelRequests,
  path: string,
  query: AnyQuery,
): Promise<{ items: Map<string, Item>; position: string }> {
  const items = new Map<string, Item>()
  let position: string | null = null
  let page: AnyQuery['page'] = { size: maxPageSizeOf(requests) }
  while (page) {
    const read = await getList(requests, path, { ...query, page })
    for (const item of read.list.items) items.set(item.id, item)
    position ??= read.position
    page = read.list.nextPage
  }
  if (position === null) throw Error(`'${requests.plural}' has no changes to follow.`)
  return { items, position }
}

function connect(
  requests: ModelRequests,
  path: string,
  { filter, search, fields }: AnyQuery,
  since: string,
  signal: AbortSignal,
): Promise<Response> {
  return get(
    requests,
    `${path}/changes`,
    {
      ...(filter && { filter }),
      ...(search && { search }),
      ...(fields && { fields }),
      since,
      signal,
    },
    { accept: 'text/event-stream' },
  )
}

function readChange(
  { manifest, format, plural }: ModelRequests,
  kind: string,
  { id, item }: ReceivedDocument,
): AnyChange {
  if (kind === 'delete') return { kind, id }
  const [read] = readItems(manifest, format, plural, { [plural]: item, data: item })
  return { kind: kind as 'create' | 'update', id, item: read! }
}

function isTemporary(error: unknown): boolean {
  // With which `fetch` and bodies reject where a connection is lost.
  if (!(error instanceof ClientError)) return error instanceof TypeError
  return error.status === 429 || error.status >= 500 || isLostPosition(error)
}

/** The log no longer has the position, or the service has another secret. */
function isLostPosition(error: ClientError): boolean {
  return error.has('changes-expired') || error.has('invalid-position')
}
