import fc from 'fast-check'
import type { ServiceState } from '../arbitrary/service-state.ts'
import type { CompiledSchemas } from '../compiled-schemas.ts'
import type { DescribedOperation } from '../described-operation.ts'
import { violation } from '../expectation/expectation.ts'
import { noPlannedBody, type PlannedBody, plannedBodies } from '../plan/planned-body.ts'
import { type PlannedRequest, plannedRequest } from '../plan/planned-request.ts'
import type { ServiceResponse } from '../service-client.ts'
import type { VerifiedSend } from '../verified-send.ts'
import { ViolationError } from '../violation-error.ts'

/** A collection whose items can be created and read: what a life can be led in. */
export interface Collection {
  readonly create: DescribedOperation
  readonly read: DescribedOperation
  readonly patch: DescribedOperation | undefined
  readonly put: DescribedOperation | undefined
  readonly remove: DescribedOperation | undefined
}

/**
 * The collections among the operations: a path that takes POST, and one parameter below it that
 * takes GET.
 */
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
      return read
        ? [{ create, read, patch: below('PATCH'), put: below('PUT'), remove: below('DELETE') }]
        : []
    })
}

/** What happens to an item, one after another. */
export type LifecycleStep =
  | { readonly kind: 'read' | 'remove' }
  | { readonly kind: 'patch' | 'put'; readonly body: PlannedBody; readonly isStale: boolean }

export interface Lifecycle {
  readonly creation: PlannedBody
  readonly steps: readonly LifecycleStep[]
}

export function lifecycles(
  known: ServiceState,
  schemas: CompiledSchemas,
  { create, patch, put, remove }: Collection,
): fc.Arbitrary<Lifecycle> {
  const valid = (operation: DescribedOperation) =>
    plannedBodies(known, schemas, operation, (values) => values)
  const changes = (['patch', 'put'] as const).flatMap((kind) => {
    const operation = { patch, put }[kind]
    return operation
      ? [fc.record({ kind: fc.constant(kind), body: valid(operation), isStale: fc.boolean() })]
      : []
  })
  const step: fc.Arbitrary<LifecycleStep> = fc.oneof(
    fc.constant<LifecycleStep>({ kind: 'read' }),
    ...(remove ? [fc.constant<LifecycleStep>({ kind: 'remove' })] : []),
    ...changes,
  )
  return fc.record({ creation: valid(create), steps: fc.array(step, { maxLength: 6 }) })
}

/**
 * Leads the life: what was created can be read where its `Location` says, what was deleted is gone
 * for every method, a tag stays while the item does, and a write with a tag of another version is
 * refused.
 * @throws FoundFault
 */
export async function runLifecycle(
  collection: Collection,
  hold: VerifiedSend,
  { creation, steps }: Lifecycle,
): Promise<void> {
  const { create } = collection
  const born = await hold(planRequest(create, create.path, creation))
  const target = born.status === 201 ? createdRequestTarget(create, born) : undefined
  if (target === undefined) return
  const item = { collection, hold, requestTarget: target }
  await readTwice(item)
  let isGone = false
  for (const step of steps) isGone = (await runStep(item, step, isGone)) || isGone
  if (collection.remove && !isGone) await hold(planRequest(collection.remove, target))
}

interface LivingItem {
  readonly collection: Collection
  readonly hold: VerifiedSend
  readonly requestTarget: string
}

/** @returns whether the item is gone now */
async function runStep(item: LivingItem, step: LifecycleStep, isGone: boolean): Promise<boolean> {
  const sent = requestFor(item, step)
  if (isGone) {
    const { status } = await item.hold(sent)
    if (status < 400)
      throw new ViolationError(
        violation(
          'deleted-still-there',
          `The item was deleted, and yet ${sent.method} answers ${status}.`,
        ),
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
      await changeItem(item, sent, step.isStale)
      return false
  }
}

function requestFor(
  { collection, requestTarget }: LivingItem,
  step: LifecycleStep,
): PlannedRequest {
  switch (step.kind) {
    case 'read':
      return planRequest(collection.read, requestTarget)
    case 'remove':
      return planRequest(collection.remove!, requestTarget)
    default:
      return planRequest(collection[step.kind]!, requestTarget, step.body)
  }
}

async function changeItem(
  { hold }: LivingItem,
  sent: PlannedRequest,
  isStale: boolean,
): Promise<void> {
  if (!isStale) {
    await hold(sent)
    return
  }
  const guarded = { ...sent, headers: { ...sent.headers, 'if-match': '"of-no-version"' } }
  const { status } = await hold(guarded)
  if (status < 400)
    throw new ViolationError(
      violation(
        'stale-write-accepted',
        `A write with a tag of no version was answered with ${status}.`,
      ),
      guarded,
    )
}

async function readTwice({ collection, hold, requestTarget }: LivingItem): Promise<void> {
  const sent = planRequest(collection.read, requestTarget)
  const first = await hold(sent)
  if (first.status !== 200)
    throw new ViolationError(
      violation(
        'created-not-readable',
        `An item that was created cannot be read: ${first.status}.`,
      ),
      sent,
    )
  const { etag } = first.headers
  const again = await hold(sent)
  if (again.headers.etag !== etag)
    throw new ViolationError(
      violation('tag-differs', `Two reads give two tags: ${etag} and ${again.headers.etag}.`),
      sent,
    )
  const head = { ...sent, method: 'HEAD' }
  const short = await hold(head)
  if (short.status !== 200 || short.headers.etag !== etag || short.body.length > 0)
    throw new ViolationError(
      violation(
        'head-differs',
        `HEAD answers ${short.status} with the tag ${short.headers.etag}; GET answers 200 with ${etag}.`,
      ),
      head,
    )
  if (etag === undefined) return
  const conditional = { ...sent, headers: { 'if-none-match': etag } }
  const { status } = await hold(conditional)
  if (status !== 304)
    throw new ViolationError(
      violation('tag-differs', `A read with the tag it has is answered with ${status}, not 304.`),
      conditional,
    )
}

/** The address of what was created, below the service's own; undefined where none is told. */
export function createdRequestTarget(
  { path }: DescribedOperation,
  { headers }: ServiceResponse,
): string | undefined {
  const { location } = headers
  if (location === undefined) return undefined
  const { pathname } = new URL(location, 'http://localhost')
  const id = pathname.split('/').at(-1)
  return id ? `${path}/${id}` : undefined
}

function planRequest(
  operation: DescribedOperation,
  target: string,
  body: PlannedBody = noPlannedBody,
): PlannedRequest {
  return plannedRequest(operation, target, body, 'answer')
}
