import type { OwnedRelation } from '../../model/model-description.ts'
import { isReadable, settableFields } from '../../model/model-view.ts'
import type { ItemPayload, LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { OperationInput } from '../operation-input.ts'
import type { SeenPastItem } from '../past-item.ts'
import { isKeptWithoutPayload } from '../write/member-access.ts'

/**
 * The version as a client would send it to replace the item: the members that it sees and may set.
 * Related items that it does not see, or that exist no more, are left out. Pointers of problems
 * lead into the document of the version.
 */
export async function versionPayload(
  reader: StoreReader,
  input: OperationInput,
  { values, masked }: SeenPastItem,
): Promise<ItemPayload> {
  const { view } = input
  const sentValues = new Map<string, PayloadValue<unknown>>()
  const sentRelations = new Map<string, LinkagePayload>()
  const item: Record<string, unknown> = {}
  for (const field of settableFields(view)) {
    const { name, wireName } = field
    if (field.kind === 'inverse' || !isReadable(view, field) || masked.has(name)) continue
    if (field.kind !== 'toMany' && isKeptWithoutPayload(view, field)) continue
    const steps = ['item', wireName]
    if (field.kind === 'value') {
      if (values[name] === undefined) continue
      item[wireName] = values[name]
      sentValues.set(name, { value: values[name], steps })
      continue
    }
    const linkage = await visibleLinkage(reader, input, field, values[name], steps)
    if (!linkage) continue
    item[wireName] = values[name]
    sentRelations.set(name, linkage)
  }
  return {
    kind: 'item',
    document: { item },
    steps: ['item'],
    memberSteps: { values: ['item'], relations: ['item'] },
    id: undefined,
    values: sentValues,
    relations: sentRelations,
    newId: undefined,
    problems: [],
  }
}

/** Undefined for a relation to one that leads to nothing that the caller sees. */
async function visibleLinkage(
  reader: StoreReader,
  { guards, context }: OperationInput,
  { kind, relatedModel }: OwnedRelation,
  value: unknown,
  steps: readonly string[],
): Promise<LinkagePayload | undefined> {
  const ids = [value].flat().filter((id): id is string => typeof id === 'string')
  if (ids.length === 0)
    return kind === 'toOne' ? { kind: 'none', steps } : { kind: 'many', ids: [], steps }
  const visible = new Set<string>()
  const guard = guards.readCondition(relatedModel, context)
  for await (const batch of fetchByIds(reader, relatedModel, ids, guard))
    for (const { id } of batch) visible.add(id)
  const kept = ids.filter((id) => visible.has(id))
  if (kind === 'toMany')
    return {
      kind: 'many',
      ids: kept.map((id) => ({ value: id, steps: [...steps, ids.indexOf(id)] })),
      steps,
    }
  return kept.length > 0 ? { kind: 'one', id: { value: kept[0]!, steps } } : undefined
}
