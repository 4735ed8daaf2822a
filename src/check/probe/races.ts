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

/** Bodies for what happens to an item all at once. */
export interface Race {
  readonly creation: PlannedBody
  readonly patches: readonly PlannedBody[]
}

/** So many requests are under way at the same time. */
const concurrentRequests = 4

export function races(
  known: ServiceState,
  schemas: CompiledSchemas,
  { create, patch }: Collection,
): fc.Arbitrary<Race> {
  const patches = patch
    ? fc.array(
        plannedBodies(known, schemas, patch, (values) => values),
        { minLength: concurrentRequests, maxLength: concurrentRequests },
      )
    : fc.constant([])
  return fc.record({ creation: plannedBodies(known, schemas, create, (values) => values), patches })
}

/**
 * Creates the same item several times at once, changes it several times at once from the same
 * version, and then changes it while it is deleted.
 * @throws FoundFault where two creations made one item, a change was lost, or a deleted item came
 * back
 */
export async function runRace(
  collection: Collection,
  hold: VerifiedSend,
  { creation: birth, patches }: Race,
): Promise<void> {
  const { create, patch, remove } = collection
  const creation = plannedRequest(create, create.path, birth, 'answer')
  const created = await Promise.all(
    Array.from({ length: concurrentRequests }, () => hold(creation)),
  )
  const made = created
    .filter(({ status }) => status === 201)
    .map((answer) => createdRequestTarget(create, answer))
  const targets = made.filter((target) => target !== undefined)
  if (new Set(targets).size < targets.length)
    throw new ViolationError(
      violation(
        'created-twice',
        `Of ${concurrentRequests} creations at once ${targets.length} made the same item.`,
      ),
      creation,
    )
  for (const [index, target] of targets.entries()) {
    if (patch && index === 0) await changeAtOnce(collection, hold, target, patches)
    if (remove && patch && index === 0)
      await changeWhileDeleted(collection, hold, target, patches[0]!)
    else if (remove) await hold(plannedRequest(remove, target, noPlannedBody, 'answer'))
  }
}

/**
 * Whoever changes the item first takes their version from all others. Changes that change nothing
 * take it from nobody.
 */
async function changeAtOnce(
  { read, patch }: Collection,
  hold: VerifiedSend,
  target: string,
  patches: readonly PlannedBody[],
): Promise<void> {
  const { etag } = (await hold(plannedRequest(read, target, noPlannedBody, 'answer'))).headers
  if (etag === undefined) return
  const requests = patches.map((body) =>
    plannedRequest(patch!, target, body, 'answer', { 'if-match': etag }),
  )
  const answers = await Promise.all(requests.map(hold))
  const winners = answers.filter((answer) => answer.status < 300 && hasChanged(answer, etag))
  if (winners.length > 1)
    throw new ViolationError(
      violation(
        'lost-update',
        `Of ${concurrentRequests} changes from the same version, ${winners.length} were done at once.`,
      ),
      requests[0]!,
    )
}

function hasChanged({ headers }: ServiceResponse, etag: string): boolean {
  return headers.etag !== undefined && headers.etag !== etag
}

async function changeWhileDeleted(
  { read, patch, remove }: Collection,
  hold: VerifiedSend,
  target: string,
  body: PlannedBody,
): Promise<void> {
  const removal = plannedRequest(remove!, target, noPlannedBody, 'answer')
  const [changed, removed] = await Promise.all([
    hold(plannedRequest(patch!, target, body, 'answer')),
    hold(removal),
  ])
  if (removed.status >= 300) return
  const { status } = await hold(plannedRequest(read, target, noPlannedBody, 'answer'))
  if (status < 400)
    throw new ViolationError(
      violation(
        'deleted-still-there',
        `The item was deleted while it was changed (${changed.status}), and yet GET answers ${status}.`,
      ),
      removal,
    )
}
