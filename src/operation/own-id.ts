import type { StoredValues } from '../store/stored-item.ts'
import type { BodyJob } from './job.ts'

/** What needs no look into the store: the item itself, which is not there before it is written. */
export function ownLinks({ sent, view: { model } }: BodyJob, id: string): StoredValues | undefined {
  if (sent.newId === undefined) return undefined
  const leadingBack = model.owned.filter((field) => field.target === model)
  return { id, ...Object.fromEntries(leadingBack.map((field) => [field.name, [id]])) }
}
