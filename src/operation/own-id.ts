import type { Sent, SentItem, SentRelation } from '../serializer/sent.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { BodyJob } from './job.ts'

/** The sent item with its id in the places where its relations lead back to it, which had none yet. */
export function withOwnId(sent: SentItem, id: string): SentItem {
  const { itself } = sent
  if (itself === undefined) return sent
  const named = (one: Sent<string>) => (one.value === itself ? { ...one, value: id } : one)
  const relations = [...sent.relations].map(([name, relation]): [string, SentRelation] => {
    if (relation.kind === 'one') return [name, { ...relation, id: named(relation.id) }]
    return [name, relation.kind === 'many' ? { ...relation, ids: relation.ids.map(named) } : relation]
  })
  return { ...sent, relations: new Map(relations) }
}

/** What needs no look into the store: the item itself, which is not there before it is written. */
export function ownLinks({ sent, view: { model } }: BodyJob, id: string): StoredValues | undefined {
  if (sent.itself === undefined) return undefined
  const leadingBack = model.owned.filter((field) => field.target === model)
  return { id, ...Object.fromEntries(leadingBack.map((field) => [field.name, [id]])) }
}
