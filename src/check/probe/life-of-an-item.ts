import fc from 'fast-check'
import type { Known } from '../arbitrary/known.ts'
import type { DescribedOperation } from '../described-operation.ts'
import { fault } from '../expectation/expectation.ts'
import { FoundFault } from '../found-fault.ts'
import type { Hold } from '../hold.ts'
import { bodies, noBody, type PlannedBody } from '../plan/body.ts'
import { type PlannedRequest, plannedRequest } from '../plan/planned-request.ts'
import type { Schemas } from '../schemas.ts'
import type { Answer } from '../send.ts'

/** A collection whose items can be created and read: what a life can be led in. */
export interface Collection {
  readonly create: DescribedOperation
  readonly read: DescribedOperation
  readonly patch: DescribedOperation | undefined
  readonly put: DescribedOperation | undefined
  readonly remove: DescribedOperation | undefined
}

/** The collections among the operations: a path that takes POST, and one parameter below it that takes GET. */
export function collectionsIn(operations: readonly DescribedOperation[]): readonly Collection[] {
  return operations
    .filter(({ method, path }) => method === 'POST' && !path.includes('{'))
    .flatMap((create) => {
      const below = (method: string) =>
        operations.find(
          (one) =>
            one.method === method &&
            /^\/\{[^/]+\}$/.test(one.path.slice(create.path.length)) &&
            one.path.startsWith(create.path),
        )
      const read = below('GET')
      return read ? [{ create, read, patch: below('PATCH'), put: below('PUT'), remove: below('DELETE') }] : []
    })
}

/** What happens to an item, one after another. */
export type Step =
  | { readonly kind: 'read' | 'remove' }
  | { readonly kind: 'patch' | 'put'; readonly body: PlannedBody; readonly stale: boolean }

export interface Life {
  readonly birth: PlannedBody
  readonly steps: readonly Step[]
}

export function lives(known: Known, schemas: Schemas, { create, patch, put, remove }: Collection): fc.Arbitrary<Life> {
  const valid = (operation: DescribedOperation) => bodies(known, schemas, operation, (values) => values)
  const changes = (['patch', 'put'] as const).flatMap((kind) => {
    const operation = { patch, put }[kind]
    return operation ? [fc.record({ kind: fc.constant(kind), body: valid(operation), stale: fc.boolean() })] : []
  })
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constant<Step>({ kind: 'read' }),
    ...(remove ? [fc.constant<Step>({ kind: 'remove' })] : []),
    ...changes,
  )
  return fc.record({ birth: valid(create), steps: fc.array(step, { maxLength: 6 }) })
}

/**
 * Leads the life: what was created can be read where its `Location` says, what was deleted is gone for every method, a tag stays while the
 * item does, and a write with a tag of another version is refused.
 * @throws FoundFault
 */
export async function leadLife(collection: Collection, hold: Hold, { birth, steps }: Life): Promise<void> {
  const { create } = collection
  const born = await hold(request(create, create.path, birth))
  const target = born.status === 201 ? targetOf(create, born) : undefined
  if (target === undefined) return
  const item = { collection, hold, target }
  await readTwice(item)
  let isGone = false
  for (const step of steps) isGone = (await live(item, step, isGone)) || isGone
  if (collection.remove && !isGone) await hold(request(collection.remove, target))
}

interface Item {
  readonly collection: Collection
  readonly hold: Hold
  readonly target: string
}

/** @returns whether the item is gone now */
async function live(item: Item, step: Step, isGone: boolean): Promise<boolean> {
  const sent = requestFor(item, step)
  if (isGone) {
    const { status } = await item.hold(sent)
    if (status < 400)
      throw new FoundFault(
        fault('deleted-still-there', `The item was deleted, and yet ${sent.method} answers ${status}.`),
        sent,
      )
    return true
  }
  switch (step.kind) {
    case 'read':
      await readTwice(item)
      return false
    case 'remove':
      return (await item.hold(sent)).status < 300
    default:
      await change(item, sent, step.stale)
      return false
  }
}

function requestFor({ collection, target }: Item, step: Step): PlannedRequest {
  switch (step.kind) {
    case 'read':
      return request(collection.read, target)
    case 'remove':
      return request(collection.remove!, target)
    default:
      return request(collection[step.kind]!, target, step.body)
  }
}

async function change({ hold }: Item, sent: PlannedRequest, stale: boolean): Promise<void> {
  if (!stale) {
    await hold(sent)
    return
  }
  const guarded = { ...sent, headers: { ...sent.headers, 'if-match': '"of-no-version"' } }
  const { status } = await hold(guarded)
  if (status < 400)
    throw new FoundFault(
      fault('stale-write-accepted', `A write with a tag of no version was answered with ${status}.`),
      guarded,
    )
}

async function readTwice({ collection, hold, target }: Item): Promise<void> {
  const sent = request(collection.read, target)
  const first = await hold(sent)
  if (first.status !== 200)
    throw new FoundFault(
      fault('created-not-readable', `An item that was created cannot be read: ${first.status}.`),
      sent,
    )
  const { etag } = first.headers
  const again = await hold(sent)
  if (again.headers.etag !== etag)
    throw new FoundFault(fault('tag-differs', `Two reads give two tags: ${etag} and ${again.headers.etag}.`), sent)
  const head = { ...sent, method: 'HEAD' }
  const short = await hold(head)
  if (short.status !== 200 || short.headers.etag !== etag || short.body.length > 0)
    throw new FoundFault(
      fault(
        'head-differs',
        `HEAD answers ${short.status} with the tag ${short.headers.etag}; GET answers 200 with ${etag}.`,
      ),
      head,
    )
  if (etag === undefined) return
  const conditional = { ...sent, headers: { 'if-none-match': etag } }
  const { status } = await hold(conditional)
  if (status !== 304)
    throw new FoundFault(
      fault('tag-differs', `A read with the tag it has is answered with ${status}, not 304.`),
      conditional,
    )
}

/** The address of what was created, below the service's own; undefined where none is told. */
export function targetOf({ path }: DescribedOperation, { headers }: Answer): string | undefined {
  const { location } = headers
  if (location === undefined) return undefined
  const { pathname } = new URL(location, 'http://localhost')
  const id = pathname.split('/').at(-1)
  return id ? `${path}/${id}` : undefined
}

function request(operation: DescribedOperation, target: string, body: PlannedBody = noBody): PlannedRequest {
  return plannedRequest(operation, target, body, 'answer')
}
