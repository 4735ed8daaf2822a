import type { Context } from '../context/context.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { identifiersOf, toModelInstance } from '../operation/model-instance.ts'
import { fetchRelatedItems, type RelatedItemsByModel } from '../operation/related-items.ts'
import type { Selection } from '../rule/selection.ts'
import type { Linkage, LinkedResource, OutgoingItem } from '../serializer/outgoing-item.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import { ResourceLinks } from './resource-links.ts'
import type { RouterServices } from './router-services.ts'

/** Makes stored items ready to be sent: hidden linkage, mappers, field sets. */
export interface Representer {
  /** Do items go out just as they are stored? Decided once, but for field sets. */
  isSentAsStored(fields: Selection['fields']): boolean
  represent(
    items: readonly StoredItem[],
    context: Context,
    fields: Selection['fields'],
  ): Promise<readonly OutgoingItem[]>
}

export function representer(parts: RouterServices, view: ModelView): Representer {
  const { model } = view
  const { guards } = parts
  const mappers = parts.mappers.get(model) ?? []
  const looked = model.ownedRelations.filter(
    (field) => mappers.length > 0 || guards.isGuarded(field.relatedModel),
  )
  const untouched = mappers.length === 0 && looked.length === 0
  const isPlain = (fields: Selection['fields']) => untouched && !fields.has(model.plural)
  return {
    isSentAsStored: isPlain,
    represent: async (items, context, fields) => {
      if (isPlain(fields)) return items.map((item) => ({ kind: 'stored', item }))
      const values = items.map((item) => readStoredValues(model, item))
      const related = await fetchRelatedItems(
        storeForCaller(parts.store, context),
        { guards, context },
        looked,
        values,
      )
      const made = items.map((item, index) =>
        mapItem(parts, view, mappers, looked, item, values[index]!, related, context),
      )
      return (await Promise.all(made)).map((one) => selectFields(one, fields.get(model.plural)))
    },
  }
}

/**
 * The relations whose items are read whenever an item is sent: mappers get them, and linkage to
 * those that the caller may not see is left out.
 */
export function resolvedRelations(
  { mappers, guards }: Pick<RouterServices, 'mappers' | 'guards'>,
  model: ModelDescription,
): readonly OwnedRelation[] {
  const isMapped = (mappers.get(model) ?? []).length > 0
  return model.ownedRelations.filter((field) => isMapped || guards.isGuarded(field.relatedModel))
}

/** Does an item go out alone, and just as it is stored? */
export function isItemSentAsStored(
  { isSentAsStored }: Representer,
  { include, fields }: Selection,
): boolean {
  return include === undefined && isSentAsStored(fields)
}

type MappedItem = Extract<OutgoingItem, { kind: 'made' }>

async function mapItem(
  parts: RouterServices,
  view: ModelView,
  mappers: readonly Mapper[],
  looked: readonly OwnedRelation[],
  item: StoredItem,
  stored: StoredValues,
  related: RelatedItemsByModel,
  context: Context,
): Promise<MappedItem> {
  const { model } = view
  const values = withoutHiddenLinkage(stored, looked, related)
  let members: object =
    mappers.length === 0 ? values : toModelInstance(model, values, related, item.hash)
  for (const mapper of mappers) members = await mapper(members, context)
  const links =
    model.resourcePaths.length === 0
      ? undefined
      : new ResourceLinks(parts.urlPrefix(), model, values)
  return mappedItem(view, item, members as Record<string, unknown>, links)
}

/** The values without linkage to items that the caller may not see. */
function withoutHiddenLinkage(
  values: StoredValues,
  looked: readonly OwnedRelation[],
  related: RelatedItemsByModel,
): StoredValues {
  const visible: Record<string, unknown> = {}
  for (const { name, relatedModel } of looked) {
    const found = related.get(relatedModel)
    const held = values[name]
    visible[name] = Array.isArray(held)
      ? held.filter((id) => found?.has(id))
      : found?.has(held as string)
        ? held
        : null
  }
  return { ...values, ...visible }
}

/**
 * Of what mappers return, what the model shows and what they declared to add is sent; nothing
 * hidden slips through.
 */
function mappedItem(
  view: ModelView,
  item: StoredItem,
  members: Readonly<Record<string, unknown>>,
  links: ResourceLinks | undefined,
): MappedItem {
  const attributes: Record<string, unknown> = {}
  const relations: Record<string, Linkage> = {}
  const resources: Record<string, LinkedResource | null> = {}
  const inverses: string[] = []
  for (const field of view.model.fields) {
    if (!isReadable(view, field)) continue
    const shown = members[field.name]
    if (field.kind === 'value' && shown !== undefined)
      attributes[field.wireName] = field.nestedResources
        ? links!.linkValue(field.nestedResources, shown)
        : shown
    if (field.kind === 'resource') resources[field.wireName] = links!.linkField(field, shown)
    if (field.kind === 'toOne' || field.kind === 'toMany')
      relations[field.wireName] = identifiersOf(field, shown) as Linkage
    if (field.kind === 'inverse') inverses.push(field.wireName)
  }
  for (const name of view.addedMembers.keys())
    if (members[name] !== undefined) attributes[name] = members[name]
  const hash = view.hiddenNames.has('hash') ? undefined : (item.hash ?? undefined)
  return {
    kind: 'made',
    id: item.id,
    attributes,
    relations,
    resources,
    inverses,
    hash,
    version: hash,
  }
}

function selectFields(made: MappedItem, fields: ReadonlySet<string> | undefined): MappedItem {
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
