import type { DescribedOperation } from '../described-operation.ts'
import { enumValues } from '../parameter-values.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import { type ComparedCollection, isItemPath, itemTarget } from './compared-items.ts'

/** A successful response to a read request of a caller. */
export interface ReadResponse {
  readonly view: CallerView
  /** The path template of the operation. */
  readonly path: string
  readonly response: CallerResponse
}

/** How many items of a collection the check reads as each caller, at its beginning and its end. */
const itemsAtEachEnd = 3
/** How many includes of a list it reads. */
const maxIncludes = 12

/** Sends each `GET` operation of each caller, for items that the caller sees, with its includes. */
export async function readResponses(
  views: readonly CallerView[],
  collections: readonly ComparedCollection[],
): Promise<readonly ReadResponse[]> {
  const read: ReadResponse[] = []
  for (const view of views)
    for (const operation of view.operations) {
      if (operation.method !== 'GET') continue
      for (const target of targetsOf(view, operation, collections))
        for (const query of ['', ...includeQueries(view, operation)]) {
          const response = await sendAs(view, 'GET', target + query)
          if (response.status === 200 && response.json !== undefined)
            read.push({ view, path: operation.path, response })
        }
    }
  return read
}

function targetsOf(
  view: CallerView,
  { path }: DescribedOperation,
  collections: readonly ComparedCollection[],
): readonly string[] {
  if (!path.includes('{')) return [path]
  const collection = collections.find((each) => path.startsWith(`${each.path}/{`))
  const below = collection && path.slice(collection.path.length).replace(/^\/\{[^/]+\}/, '')
  if (!collection || below === undefined || below.includes('{')) return []
  const visible = [...collection.items].filter(
    ([, responses]) => responses.get(view)?.status === 200,
  )
  const ids = visible.map(([id]) => id)
  const read = new Set([...ids.slice(0, itemsAtEachEnd), ...ids.slice(-itemsAtEachEnd)])
  return [...read].map((id) => itemTarget(collection.path, id) + below)
}

function includeQueries(view: CallerView, { path, parameters }: DescribedOperation) {
  const include = parameters.find(
    ({ name, location }) => name === 'include' && location === 'query',
  )
  if (!include) return []
  const isList = !isItemPath(path, path.slice(0, path.lastIndexOf('/')))
  return enumValues(view.document, include.schema)
    .slice(0, isList ? maxIncludes : 3)
    .map((value) => `?include=${encodeURIComponent(value)}`)
}
