import type { Context } from '../context/context.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription, OwnedRelation } from '../model/description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { identifiersOf, toModel } from '../operation/model-instance.ts'
import { itemsRelatedTo, type Related } from '../operation/related-items.ts'
import type { Selection } from '../rule/selection.ts'
import type { Linkage, LinkedResource, Outgoing } from '../serializer/outgoing.ts'
import { storedValues } from '../store/item-text.ts'
import { onBehalf } from '../store/on-behalf.ts'
import type { StoredItem, StoredValues } from '../store/stored-item.ts'
import { ResourceLinks } from './link-resources.ts'
import type { Parts } from './parts.ts'

/** Makes stored items ready to be sent: hidden linkage, mappers, field sets. */
export interface Representer {
  /** Do items go out just as they are stored? Decided once, but for field sets. */
  isPlain(fields: Selection['fields']): boolean
  represent(items: readonly StoredItem[], context: Context, fields: Selection['fields']): Promise<readonly Outgoing[]>
}

export function representer(parts: Parts, view: ModelView): Representer {
  const { model } = view
  const { guards } = parts
  const mappers = parts.mappers.get(model) ?? []
  const looked = model.owned.filter((field) => mappers.length > 0 || guards.isGuarded(field.target))
  const untouched = mappers.length === 0 && looked.length === 0
  const isPlain = (fields: Selection['fields']) => untouched && !fields.has(model.plural)
  return {
    isPlain,
    represent: async (items, context, fields) => {
      if (isPlain(fields)) return items.map((item) => ({ kind: 'stored', item }))
      const values = items.map((item) => storedValues(model, item))
      const related = await itemsRelatedTo(onBehalf(parts.store, context), { guards, context }, looked, values)
      const made = items.map((item, index) =>
        make(parts, view, mappers, looked, item, values[index]!, related, context),
      )
      return (await Promise.all(made)).map((one) => chosen(one, fields.get(model.plural)))
    },
  }
}

/** The relations whose items are read whenever an item is sent: mappers get them, and linkage to those that the caller may not see is left out. */
export function lookedUp(
  { mappers, guards }: Pick<Parts, 'mappers' | 'guards'>,
  model: ModelDescription,
): readonly OwnedRelation[] {
  const isMapped = (mappers.get(model) ?? []).length > 0
  return model.owned.filter((field) => isMapped || guards.isGuarded(field.target))
}

/** Does an item go out alone, and just as it is stored? */
export function isStoredForm({ isPlain }: Representer, { include, fields }: Selection): boolean {
  return include === undefined && isPlain(fields)
}

type Made = Extract<Outgoing, { kind: 'made' }>

async function make(
  parts: Parts,
  view: ModelView,
  mappers: readonly Mapper[],
  looked: readonly OwnedRelation[],
  item: StoredItem,
  stored: StoredValues,
  related: Related,
  context: Context,
): Promise<Made> {
  const { model } = view
  const values = seen(stored, looked, related)
  let members: object = mappers.length === 0 ? values : toModel(model, values, related, item.hash)
  for (const mapper of mappers) members = await mapper(members, context)
  const links = model.slots.length === 0 ? undefined : new ResourceLinks(parts.base(), model, values)
  return madeOf(view, item, members as Record<string, unknown>, links)
}

/** The values without linkage to items that the caller may not see. */
function seen(values: StoredValues, looked: readonly OwnedRelation[], related: Related): StoredValues {
  const visible: Record<string, unknown> = {}
  for (const { name, target } of looked) {
    const found = related.get(target)
    const held = values[name]
    visible[name] = Array.isArray(held) ? held.filter((id) => found?.has(id)) : found?.has(held as string) ? held : null
  }
  return { ...values, ...visible }
}

/** Of what mappers return, what the model shows and what they declared to add is sent; nothing hidden slips through. */
function madeOf(
  view: ModelView,
  item: StoredItem,
  members: Readonly<Record<string, unknown>>,
  links: ResourceLinks | undefined,
): Made {
  const attributes: Record<string, unknown> = {}
  const relations: Record<string, Linkage> = {}
  const resources: Record<string, LinkedResource | null> = {}
  const inverses: string[] = []
  for (const field of view.model.fields) {
    if (!isReadable(view, field)) continue
    const shown = members[field.name]
    if (field.kind === 'value' && shown !== undefined)
      attributes[field.wire] = field.resources ? links!.value(field.resources, shown) : shown
    if (field.kind === 'resource') resources[field.wire] = links!.top(field, shown)
    if (field.kind === 'toOne' || field.kind === 'toMany')
      relations[field.wire] = identifiersOf(field, shown) as Linkage
    if (field.kind === 'inverse') inverses.push(field.wire)
  }
  for (const name of view.adds.keys()) if (members[name] !== undefined) attributes[name] = members[name]
  const hash = view.hides.has('hash') ? undefined : (item.hash ?? undefined)
  return { kind: 'made', id: item.id, attributes, relations, resources, inverses, hash, version: hash }
}

function chosen(made: Made, fields: ReadonlySet<string> | undefined): Made {
  if (!fields) return made
  const pick = <T>(members: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => fields.has(name)))
  return {
    ...made,
    attributes: pick(made.attributes),
    relations: pick(made.relations),
    resources: pick(made.resources),
    inverses: made.inverses.filter((name) => fields.has(name)),
    hash: fields.has('hash') ? made.hash : undefined,
  }
}
