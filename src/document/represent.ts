import type { Context } from '../context/context.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { identifiersOf, toModelInstance } from '../operation/model-instance.ts'
import { fetchRelatedItems, type RelatedItemsByModel } from '../operation/related-items.ts'
import type { Selection } from '../rule/selection.ts'
import type { Linkage, LinkedResource, OutgoingItem } from '../serializer/outgoing-item.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import type { StoreReader } from '../store/store-reader.ts'
import { toStoredValue } from '../stored-item/code-values.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import type { DocumentServices } from './document-services.ts'
import { ResourceLinks } from './resource-links.ts'
import { unwritableOr } from './unwritable-state.ts'

/** Prepares stored items for a document: removes hidden linkage, runs mappers, selects fields. */
export interface Representer {
  /** Whether items are sent exactly as they are stored. */
  isSentAsStored(fields: Selection['fields']): boolean
  represent(
    items: readonly StoredItem[],
    context: Context,
    fields: Selection['fields'],
  ): Promise<readonly OutgoingItem[]>
  /**
   * The same for items that were stored once, maybe by an older model: their texts are never sent
   * as they are.
   * @param reader finds related items, in place of the store
   * @throws UnwritableState for an item that mappers cannot handle
   */
  representPast(
    items: readonly StoredItem[],
    context: Context,
    fields: Selection['fields'],
    reader?: StoreReader,
  ): Promise<readonly SentItem[]>
}

export function representer(services: DocumentServices, view: ModelView): Representer {
  const { model } = view
  const { guards } = services
  const mappers = services.mappers.get(model) ?? []
  const resolved = resolvedRelations(services, model)
  const isUnchanged = mappers.length === 0 && resolved.length === 0 && view.hiddenNames.size === 0
  const isPlain = (fields: Selection['fields']) => isUnchanged && !fields.has(model.plural)
  const mapAll = async (
    items: readonly StoredItem[],
    context: Context,
    fields: Selection['fields'],
    mapOne: typeof mapItem,
    reader: StoreReader = storeForCaller(services.store, context),
  ) => {
    const values = items.map((item) => readStoredValues(model, item))
    const related = await fetchRelatedItems(reader, { guards, context }, resolved, values)
    const mapped = items.map((item, index) =>
      mapOne(services, view, mappers, resolved, item, values[index]!, related, context),
    )
    return (await Promise.all(mapped)).map((item) => selectFields(item, fields.get(model.plural)))
  }
  return {
    isSentAsStored: isPlain,
    represent: async (items, context, fields) =>
      isPlain(fields)
        ? items.map((item) => ({ kind: 'stored', item }))
        : mapAll(items, context, fields, mapItem),
    representPast: (items, context, fields, reader) =>
      mapAll(items, context, fields, mapPastItem, reader),
  }
}

/**
 * The relations whose items are read whenever an item is sent: for mappers, and to leave out
 * linkage to items that the caller may not see.
 */
export function resolvedRelations(
  { mappers, guards }: Pick<DocumentServices, 'mappers' | 'guards'>,
  model: ModelDescription,
): readonly OwnedRelation[] {
  const isMapped = (mappers.get(model) ?? []).length > 0
  return model.ownedRelations.filter((field) => isMapped || guards.isGuarded(field.relatedModel))
}

/** Whether a single item is sent without included items, and exactly as it is stored. */
export function isItemSentAsStored(
  { isSentAsStored }: Representer,
  { include, fields }: Selection,
): boolean {
  return include === undefined && isSentAsStored(fields)
}

/** An item with the members that are sent of it. */
export type SentItem = Extract<OutgoingItem, { kind: 'mapped' }>

async function mapItem(
  services: DocumentServices,
  view: ModelView,
  mappers: readonly Mapper[],
  resolved: readonly OwnedRelation[],
  item: StoredItem,
  stored: StoredValues,
  related: RelatedItemsByModel,
  context: Context,
): Promise<SentItem> {
  const { model } = view
  const values = withoutHiddenLinkage(stored, resolved, related)
  let members: object =
    mappers.length === 0 ? values : toModelInstance(model, values, related, item.hash)
  for (const mapper of mappers) members = await mapper(members, context)
  const links =
    model.resourcePaths.length === 0
      ? undefined
      : new ResourceLinks(services.urlPrefix(), model, values)
  const jsonMembers = mappers.length === 0 ? members : encodedMembers(model, members, stored)
  return mappedItem(view, item, jsonMembers as Record<string, unknown>, links)
}

/** Mappers may not expect what older code has stored. */
const mapPastItem: typeof mapItem = async (...input) => {
  try {
    return await mapItem(...input)
  } catch (error) {
    const [, , , , item, , , context] = input
    throw unwritableOr(error, item, context)
  }
}

/** What mappers return, as JSON. */
function encodedMembers(
  { codedFields }: ModelDescription,
  members: object,
  stored: StoredValues,
): object {
  if (codedFields.length === 0) return members
  const encoded: Record<string, unknown> = { ...members }
  for (const field of codedFields)
    encoded[field.name] = toStoredValue(field, encoded[field.name], stored[field.name])
  return encoded
}

/** The values without the ids of items that the caller may not see. */
function withoutHiddenLinkage(
  values: StoredValues,
  resolved: readonly OwnedRelation[],
  related: RelatedItemsByModel,
): StoredValues {
  const visible: Record<string, unknown> = {}
  for (const { name, relatedModel } of resolved) {
    const relatedItems = related.get(relatedModel)
    const ids = values[name]
    visible[name] = Array.isArray(ids)
      ? ids.filter((id) => relatedItems?.has(id))
      : relatedItems?.has(ids as string)
        ? ids
        : null
  }
  return { ...values, ...visible }
}

/**
 * Keeps the members that the model shows, and those that mappers declared, so that nothing hidden
 * gets through.
 */
function mappedItem(
  view: ModelView,
  item: StoredItem,
  members: Readonly<Record<string, unknown>>,
  links: ResourceLinks | undefined,
): SentItem {
  const attributes: Record<string, unknown> = {}
  const relations: Record<string, Linkage> = {}
  const resources: Record<string, LinkedResource | null> = {}
  const inverses: string[] = []
  for (const field of view.model.fields) {
    if (!isReadable(view, field)) continue
    const value = members[field.name]
    if (field.kind === 'value' && value !== undefined)
      attributes[field.wireName] = field.nestedResources
        ? links!.linkValue(field.nestedResources, value)
        : value
    if (field.kind === 'resource') resources[field.wireName] = links!.linkField(field, value)
    if (field.kind === 'toOne' || field.kind === 'toMany')
      relations[field.wireName] = identifiersOf(field, value) as Linkage
    if (field.kind === 'inverse') inverses.push(field.wireName)
  }
  for (const name of view.addedMembers.keys())
    if (members[name] !== undefined) attributes[name] = members[name]
  const hash = view.hiddenNames.has('hash') ? undefined : (item.hash ?? undefined)
  return {
    kind: 'mapped',
    id: item.id,
    attributes,
    relations,
    resources,
    inverses,
    hash,
    version: hash,
  }
}

function selectFields(mapped: SentItem, fields: ReadonlySet<string> | undefined): SentItem {
  if (!fields) return mapped
  const pick = <T>(members: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => fields.has(name)))
  return {
    ...mapped,
    attributes: pick(mapped.attributes),
    relations: pick(mapped.relations),
    resources: pick(mapped.resources),
    inverses: mapped.inverses.filter((name) => fields.has(name)),
    hash: fields.has('hash') ? mapped.hash : undefined,
  }
}
