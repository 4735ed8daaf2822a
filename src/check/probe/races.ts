import fc from 'fast-check'
import type { Known } from '../arbitrary/known.ts'
import { fault } from '../expectation/expectation.ts'
import { FoundFault } from '../found-fault.ts'
import type { Hold } from '../hold.ts'
import { bodies, noBody, type PlannedBody } from '../plan/body.ts'
import { plannedRequest } from '../plan/planned-request.ts'
import type { Schemas } from '../schemas.ts'
import type { Answer } from '../send.ts'
import { type Collection, targetOf } from './life-of-an-item.ts'

/** Bodies for what happens to an item all at once. */
export interface Race {
  readonly birth: PlannedBody
  readonly patches: readonly PlannedBody[]
}

/** So many requests are under way at the same time. */
const racers = 4

export function races(known: Known, schemas: Schemas, { create, patch }: Collection): fc.Arbitrary<Race> {
  const patches = patch
    ? fc.array(
        bodies(known, schemas, patch, (values) => values),
        { minLength: racers, maxLength: racers },
      )
    : fc.constant([])
  return fc.record({ birth: bodies(known, schemas, create, (values) => values), patches })
}

/**
 * Creates the same item several times at once, changes it several times at once from the same version, and then changes it while it is deleted.
 * @throws FoundFault where two creations made one item, a change was lost, or a deleted item came back
 */
export async function runRace(collection: Collection, hold: Hold, { birth, patches }: Race): Promise<void> {
  const { create, patch, remove } = collection
  const creation = plannedRequest(create, create.path, birth, 'answer')
  const created = await Promise.all(Array.from({ length: racers }, () => hold(creation)))
  const made = created.filter(({ status }) => status === 201).map((answer) => targetOf(create, answer))
  const targets = made.filter((target) => target !== undefined)
  if (new Set(targets).size < targets.length)
    throw new FoundFault(
      fault('created-twice', `Of ${racers} creations at once ${targets.length} made the same item.`),
      creation,
    )
  for (const [index, target] of targets.entries()) {
    if (patch && index === 0) await changeAtOnce(collection, hold, target, patches)
    if (remove && patch && index === 0) await changeWhileDeleted(collection, hold, target, patches[0]!)
    else if (remove) await hold(plannedRequest(remove, target, noBody, 'answer'))
  }
}

/** Whoever changes the item first takes their version from all others. Changes that change nothing take it from nobody. */
async function changeAtOnce(
  { read, patch }: Collection,
  hold: Hold,
  target: string,
  patches: readonly PlannedBody[],
): Promise<void> {
  const { etag } = (await hold(plannedRequest(read, target, noBody, 'answer'))).headers
  if (etag === undefined) return
  const requests = patches.map((body) => plannedRequest(patch!, target, body, 'answer', { 'if-match': etag }))
  const answers = await Promise.all(requests.map(hold))
  const winners = answers.filter((answer) => answer.status < 300 && hasChanged(answer, etag))
  if (winners.length > 1)
    throw new FoundFault(
      fault('lost-update', `Of ${racers} changes from the same version, ${winners.length} were done at once.`),
      requests[0]!,
    )
}

function hasChanged({ headers }: Answer, etag: string): boolean {
  return headers.etag !== undefined && headers.etag !== etag
}

async function changeWhileDeleted(
  { read, patch, remove }: Collection,
  hold: Hold,
  target: string,
  body: PlannedBody,
): Promise<void> {
  const removal = plannedRequest(remove!, target, noBody, 'answer')
  const [changed, removed] = await Promise.all([hold(plannedRequest(patch!, target, body, 'answer')), hold(removal)])
  if (removed.status >= 300) return
  const { status } = await hold(plannedRequest(read, target, noBody, 'answer'))
  if (status < 400)
    throw new FoundFault(
      fault(
        'deleted-still-there',
        `The item was deleted while it was changed (${changed.status}), and yet GET answers ${status}.`,
      ),
      removal,
    )
}
