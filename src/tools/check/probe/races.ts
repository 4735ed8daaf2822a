import fc from 'fast-check'
import type { ServiceState } from '../arbitrary/service-state.ts'
import type { CompiledSchemas } from '../compiled-schemas.ts'
import { violation } from '../expectation/expectation.ts'
import { noPlannedBody, type PlannedBody, plannedBodies } from '../plan/planned-body.ts'
import { plannedRequest } from '../plan/planned-request.ts'
import type { ServiceResponse } from '../service-client.ts'
import type { VerifiedSend } from '../verified-send.ts'
import { ViolationError } from '../violation-error.ts'
import { type Collection, createdRequestTarget } from './item-lifecycle.ts'

/** The bodies of concurrent requests for an item. */
export interface Race {
  readonly creation: PlannedBody
  readonly patches: readonly PlannedBody[]
}

/** The number of concurrent requests. */
const concurrentRequests = 4

export function races(
  state: ServiceState,
  schemas: CompiledSchemas,
  { create, patch }: Collection,
): fc.Arbitrary<Race> {
  const patches = patch
    ? fc.array(
        plannedBodies(state, schemas, patch, (values) => values),
        { minLength: concurrentRequests, maxLength: concurrentRequests },
      )
    : fc.constant([])
  return fc.record({ creation: plannedBodies(state, schemas, create, (values) => values), patches })
}

/**
 * Creates the same item several times concurrently, changes it several times concurrently from the
 * same version, and then changes it while it is deleted.
 * @throws ViolationError if two creations made one item, a change was lost, or a deleted item came
 * back
 */
export async function runRace(
  collection: Collection,
  send: VerifiedSend,
  { creation: creationBody, patches }: Race,
): Promise<void> {
  const { create, patch, remove } = collection
  const creation = plannedRequest(create, create.path, creationBody, 'anyDocumentedResponse')
  const responses = await Promise.all(
    Array.from({ length: concurrentRequests }, () => send(creation)),
  )
  const targets = responses
    .filter(({ status }) => status === 201)
    .map((response) => createdRequestTarget(create, response))
    .filter((target) => target !== undefined)
  if (new Set(targets).size < targets.length)
    throw new ViolationError(
      violation(
        'created-twice',
        `Of ${concurrentRequests} concurrent creations, ${targets.length} created the same item.`,
      ),
      creation,
    )
  for (const [index, target] of targets.entries()) {
    if (patch && index === 0) await changeAtOnce(collection, send, target, patches)
    if (remove && patch && index === 0)
      await changeWhileDeleted(collection, send, target, patches[0]!)
    else if (remove)
      await send(plannedRequest(remove, target, noPlannedBody, 'anyDocumentedResponse'))
  }
}

/** Only one change of a version may succeed, unless a change leaves the item unchanged. */
async function changeAtOnce(
  { read, patch }: Collection,
  send: VerifiedSend,
  target: string,
  patches: readonly PlannedBody[],
): Promise<void> {
  const { etag } = (
    await send(plannedRequest(read, target, noPlannedBody, 'anyDocumentedResponse'))
  ).headers
  if (etag === undefined) return
  const requests = patches.map((body) =>
    plannedRequest(patch!, target, body, 'anyDocumentedResponse', { 'if-match': etag }),
  )
  const responses = await Promise.all(requests.map(send))
  const winners = responses.filter(
    (response) => response.status < 300 && hasChanged(response, etag),
  )
  if (winners.length > 1)
    throw new ViolationError(
      violation(
        'lost-update',
        `Of ${concurrentRequests} concurrent changes of the same version, ${winners.length} succeeded; expected one.`,
      ),
      requests[0]!,
    )
}

function hasChanged({ headers }: ServiceResponse, etag: string): boolean {
  return headers.etag !== undefined && headers.etag !== etag
}

async function changeWhileDeleted(
  { read, patch, remove }: Collection,
  send: VerifiedSend,
  target: string,
  body: PlannedBody,
): Promise<void> {
  const removal = plannedRequest(remove!, target, noPlannedBody, 'anyDocumentedResponse')
  const [changed, removed] = await Promise.all([
    send(plannedRequest(patch!, target, body, 'anyDocumentedResponse')),
    send(removal),
  ])
  if (removed.status >= 300) return
  const { status } = await send(
    plannedRequest(read, target, noPlannedBody, 'anyDocumentedResponse'),
  )
  if (status < 400)
    throw new ViolationError(
      violation(
        'deleted-still-there',
        `The item was deleted during a change (${changed.status}), but GET responds with ${status}.`,
      ),
      removal,
    )
}
