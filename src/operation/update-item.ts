import { storedValues } from '../store/item-text.ts'
import { completeItem } from './complete-item.ts'
import { findItem } from './find-item.ts'
import { writeInverses } from './inverse-links.ts'
import { refuseOtherId } from './item-id.ts'
import type { BodyJob, Result } from './job.ts'
import { refuseStale } from './match.ts'
import { resolveRelations } from './resolve-relations.ts'
import { unseenLinks } from './unseen-links.ts'
import { changeItem } from './write-item.ts'

/** UpdateItem: what was sent is merged into the item (RFC 7396), and the whole is validated and stored in one atomic step. */
export function updateItem(job: BodyJob): Promise<Result> {
  const { model } = job.view
  return job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    refuseOtherId(job)
    const stored = storedValues(model, current)
    const unseen = await unseenLinks(transaction, job, stored)
    const members = await completeItem(job.view, job.sent, { kind: 'merge', stored, unseen })
    await resolveRelations(transaction, job, stored)
    refuseStale(job, current)
    const item = await changeItem(transaction, model, current, { ...members, id: current.id }, job.sent)
    return { kind: 'item', item: await writeInverses(transaction, job, item) }
  })
}
