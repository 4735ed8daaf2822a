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

/** A collection whose items can be created and read. */
export interface Collection {
  readonly create: DescribedOperation
  readonly read: DescribedOperation
  readonly patch: DescribedOperation | undefined
  readonly put: DescribedOperation | undefined
  readonly remove: DescribedOperation | undefined
}

/** Finds collections: a path with POST, and the same path with one parameter and GET. */
export function collectionsIn(operations: readonly DescribedOperation[]): readonly Collection[] {
  return operations
    .filter(({ method, path }) => method === 'POST' && !path.includes('{'))
    .flatMap((create) => {
      const itemOperation = (method: string) =>
        operations.find(
          (operation) =>
            operation.method === method &&
            /^\/\{[^/]+\}$/.test(operation.path.slice(create.path.length)) &&
            operation.path.startsWith(create.path),
        )
      const read = itemOperation('GET')
      return read
        ? [
            {
              create,
              read,
              patch: itemOperation('PATCH'),
              put: itemOperation('PUT'),
              remove: itemOperation('DELETE'),
            },
          ]
        : []
    })
}

/** One request of a lifecycle. */
type LifecycleStep =
  | { readonly kind: 'read' | 'remove' }
  | { readonly kind: 'patch' | 'put'; readonly body: PlannedBody; readonly isStale: boolean }

export interface Lifecycle {
  readonly creation: PlannedBody
  readonly steps: readonly LifecycleStep[]
}

export function lifecycles(
  state: ServiceState,
  schemas: CompiledSchemas,
  { create, patch, put, remove }: Collection,
): fc.Arbitrary<Lifecycle> {
  const valid = (operation: DescribedOperation) =>
    plannedBodies(state, schemas, operation, (values) => values)
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
 * Creates an item and runs the steps. A created item must be readable at its `Location`, a deleted
 * one must be gone for every method, the ETag must not change between two reads, and a write with a
 * stale ETag must be refused.
 * @throws ViolationError
 */
export async function runLifecycle(
  collection: Collection,
  send: VerifiedSend,
  { creation, steps }: Lifecycle,
): Promise<void> {
  const { create } = collection
  const created = await send(planRequest(create, create.path, creation))
  const target = created.status === 201 ? createdRequestTarget(create, created) : undefined
  if (target === undefined) return
  const item = { collection, send, requestTarget: target }
  await readTwice(item)
  let isGone = false
  for (const step of steps) isGone = (await runStep(item, step, isGone)) || isGone
  if (collection.remove && !isGone) await send(planRequest(collection.remove, target))
}

/** A created item. */
export interface LivingItem {
  readonly collection: Collection
  readonly send: VerifiedSend
  readonly requestTarget: string
}

/** @returns true if the item is deleted now */
async function runStep(item: LivingItem, step: LifecycleStep, isGone: boolean): Promise<boolean> {
  const request = requestFor(item, step)
  if (isGone) {
    const { status } = await item.send(request)
    if (status < 400)
      throw new ViolationError(
        violation(
          'deleted-still-there',
          `The item was deleted, but ${request.method} responds with ${status}.`,
        ),
        request,
      )
    return true
  }
  switch (step.kind) {
    case 'read':
      await readTwice(item)
      return false
    case 'remove':
      return (await item.send(request)).status < 300
    default:
      await changeItem(item, request, step.isStale)
      return false
  }
}

/** The request of a step. */
export function requestFor(
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
  { send }: LivingItem,
  request: PlannedRequest,
  isStale: boolean,
): Promise<void> {
  if (!isStale) {
    await send(request)
    return
  }
  const guarded = { ...request, headers: { ...request.headers, 'if-match': '"of-no-version"' } }
  const { status } = await send(guarded)
  if (status < 400)
    throw new ViolationError(
      violation(
        'stale-write-accepted',
        `A write with an unknown ETag in If-Match was accepted with ${status}; expected 412.`,
      ),
      guarded,
    )
}

async function readTwice({ collection, send, requestTarget }: LivingItem): Promise<void> {
  const request = planRequest(collection.read, requestTarget)
  const first = await send(request)
  if (first.status !== 200)
    throw new ViolationError(
      violation(
        'created-not-readable',
        `The created item cannot be read: GET responds with ${first.status}.`,
      ),
      request,
    )
  const { etag } = first.headers
  const second = await send(request)
  if (second.headers.etag !== etag)
    throw new ViolationError(
      violation(
        'tag-differs',
        `Two reads have different ETags: ${etag} and ${second.headers.etag}.`,
      ),
      request,
    )
  const head = { ...request, method: 'HEAD' }
  const headResponse = await send(head)
  if (
    headResponse.status !== 200 ||
    headResponse.headers.etag !== etag ||
    headResponse.body.length > 0
  )
    throw new ViolationError(
      violation(
        'head-differs',
        `HEAD responds with ${headResponse.status} and the ETag ${headResponse.headers.etag}; GET with 200 and ${etag}.`,
      ),
      head,
    )
  if (etag === undefined) return
  const conditional = { ...request, headers: { 'if-none-match': etag } }
  const { status } = await send(conditional)
  if (status !== 304)
    throw new ViolationError(
      violation(
        'tag-differs',
        `A read with the current ETag in If-None-Match responds with ${status}; expected 304.`,
      ),
      conditional,
    )
}

/** The path of a created item, from `Location`. */
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
  return plannedRequest(operation, target, body, 'anyDocumentedResponse')
}
