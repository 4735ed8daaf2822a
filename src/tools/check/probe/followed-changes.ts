import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { DescribedOperation } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'
import { violation } from '../expectation/expectation.ts'
import { noPlannedBody } from '../plan/planned-body.ts'
import { type PlannedRequest, plannedRequest } from '../plan/planned-request.ts'
import type { VerifiedSend } from '../verified-send.ts'
import { ViolationError } from '../violation-error.ts'
import {
  type Collection,
  createdRequestTarget,
  type Lifecycle,
  requestFor,
} from './item-lifecycle.ts'

/** A collection whose changes clients can follow. */
export interface FollowedCollection {
  readonly collection: Collection
  readonly list: DescribedOperation
  /** Its own feed, and that of several models. */
  readonly feeds: readonly Feed[]
}

interface Feed {
  readonly operation: DescribedOperation
  /** Of each request, before the position. */
  readonly query: string
}

/** Finds lists with `/changes`, also at the path of the changes of several models. */
export function followedCollectionsIn(
  operations: readonly DescribedOperation[],
  collections: readonly Collection[],
): readonly FollowedCollection[] {
  const readAt = (path: string) =>
    operations.find((operation) => operation.method === 'GET' && operation.path === path)
  return collections.flatMap((collection) => {
    const { path } = collection.create
    const [list, own, ofSeveral] = [readAt(path), readAt(`${path}/changes`), readAt('/changes')]
    if (!list || !own) return []
    const several = ofSeveral ? [{ operation: ofSeveral, query: `models=${path.slice(1)}&` }] : []
    return [{ collection, list, feeds: [{ operation: own, query: '' }, ...several] }]
  })
}

/** What a follower knows of an item: its text, or that it is not in the list. */
type Known = Readonly<Record<string, unknown>> | undefined

/** A service may show changes later than it commits them, at most so many looks later. */
const maxLooks = 50
const pauseMs = 100

/**
 * Creates an item and changes it, follows the changes meanwhile, and compares what a follower knows
 * of the item with the list.
 * @throws ViolationError if they differ
 */
export async function followLifecycle(
  { collection, list, feeds }: FollowedCollection,
  send: VerifiedSend,
  { creation, steps }: Lifecycle,
): Promise<void> {
  const { create } = collection
  const first = await send(readRequest(list, `${list.path}?page[size]=1`))
  const position = first.headers['changes-position']
  // Its changes cannot be followed, as where a store reads from replicas.
  if (first.status !== 200 || position === undefined) return
  const created = await send(plannedRequest(create, create.path, creation, 'anyDocumentedResponse'))
  const target = created.status === 201 ? createdRequestTarget(create, created) : undefined
  if (target === undefined) return
  const id = decodeURIComponent(target.slice(create.path.length + 1))
  const followers = feeds.map((feed) => new Follower(feed, send, id, position))
  const compare = async () => {
    for (const follower of followers) await compareWithList(follower, list, send, id)
  }
  await compare()
  for (const step of steps)
    await send(requestFor({ collection, send, requestTarget: target }, step))
  await compare()
  if (!collection.remove) return
  await send(plannedRequest(collection.remove, target, noPlannedBody, 'anyDocumentedResponse'))
  await compare()
}

async function compareWithList(
  follower: Follower,
  list: DescribedOperation,
  send: VerifiedSend,
  id: string,
): Promise<void> {
  const request = readRequest(list, `${list.path}?filter[id]=${encodeURIComponent(id)}`)
  let listed: Known
  for (let look = 0; look < maxLooks; look++) {
    const response = await send(request)
    if (response.status !== 200) return
    listed = itemsIn(JSON.parse(response.body.toString())).find((item) => item.id === id)
    if (!(await follower.read(listed)) || isSame(follower.known, listed)) return
    await wait(pauseMs)
  }
  throw new ViolationError(
    violation(
      'changes-differ',
      `Who follows the changes has ${JSON.stringify(follower.known) ?? 'no item'}; the list has ${JSON.stringify(listed) ?? 'no item'}.`,
    ),
    follower.request,
  )
}

/** A client that knows of the item what changes say. */
class Follower {
  readonly #feed: Feed
  readonly #send: VerifiedSend
  readonly #id: string
  #position: string
  known: Known

  constructor(feed: Feed, send: VerifiedSend, id: string, position: string) {
    this.#feed = feed
    this.#send = send
    this.#id = id
    this.#position = position
  }

  get request(): PlannedRequest {
    const { operation, query } = this.#feed
    return readRequest(operation, `${operation.path}?${query}since=${this.#position}`)
  }

  /**
   * Reads all changes so far.
   * @param listed what a client reads again after a reset
   * @returns whether the service can tell them
   */
  async read(listed: Known): Promise<boolean> {
    for (let isEnd = false; !isEnd; ) {
      const { status, body } = await this.#send(this.request)
      if (status !== 200) return false
      const document: unknown = JSON.parse(body.toString())
      const page = pageIn(document)
      if (!page) return false
      this.#position = page.next
      isEnd = page.isEnd
      for (const { kind, id, item } of page.changes)
        if (kind === 'reset') this.known = listed
        else if (id === this.#id) this.known = kind === 'delete' ? undefined : item
    }
    return true
  }
}

interface Page {
  readonly changes: readonly {
    readonly kind: string
    readonly id?: string
    readonly item?: Known
  }[]
  readonly next: string
  readonly isEnd: boolean
}

/** In the document itself, or in its `meta`. */
function pageIn(document: unknown): Page | undefined {
  if (!isRecord(document)) return undefined
  const page = isRecord(document.meta) ? document.meta : document
  return Array.isArray(page.changes) && typeof page.next === 'string'
    ? (page as unknown as Page)
    : undefined
}

/** The first member of a list document that is a list of items. */
function itemsIn(document: unknown): readonly Readonly<Record<string, unknown>>[] {
  const lists = isRecord(document) ? Object.values(document).filter(Array.isArray) : []
  return (lists[0] ?? []).filter(isRecord)
}

function isSame(known: Known, listed: Known): boolean {
  return isDeepStrictEqual(known && membersOf(known), listed && membersOf(listed))
}

/** What the caller may do with an item is said in lists only. */
function membersOf(item: NonNullable<Known>): object {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => name !== 'can' && name !== 'meta'),
  )
}

function readRequest(operation: DescribedOperation, target: string): PlannedRequest {
  return plannedRequest(operation, target, noPlannedBody, 'anyDocumentedResponse')
}
