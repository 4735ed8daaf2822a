import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { Representer } from './represent.ts'

/** How a list is read and written: as raw JSON of the store, or item by item. */
export type ListStrategy =
  | {
      readonly kind: 'rawJson'
      readonly includedRelations: readonly OwnedRelation[]
      /** Whether whole lists are sent as the JSON texts that the store keeps. */
      readonly isWholeListRaw: boolean
    }
  | { readonly kind: 'items' }

const itemStrategy: ListStrategy = Object.freeze({ kind: 'items' })

/**
 * Decides how the lists of a rule are read. They are written from the stored texts if neither
 * mappers, field sets nor guards change an item, and if all includes are one level of whole
 * relations that the items hold.
 */
export function compileListStrategy(
  { response, view: { model } }: ModelRule,
  representers: ReadonlyMap<ModelDescription, Representer>,
): (selection: Selection) => ListStrategy {
  // Identifiers are written without the items.
  if (response.content === 'linkage') return () => itemStrategy
  const { sendsRawJson, separator } = response.serializer
  const rawStrategy: ListStrategy = Object.freeze({
    kind: 'rawJson',
    // The store joins whole lists with commas.
    isWholeListRaw: sendsRawJson && separator === ',',
    includedRelations: Object.freeze([]),
  })
  const isPlain = (itemModel: ModelDescription, { fields }: Selection) =>
    representers.get(itemModel)!.isSentAsStored(fields)
  const isPlainInclude = (
    { relation, children, selection: includedSelection }: IncludeNode,
    selection: Selection,
  ) =>
    relation.kind !== 'inverse' &&
    children.length === 0 &&
    includedSelection === undefined &&
    // Included items of the same model would have to leave out those of the page.
    relation.relatedModel !== model &&
    isPlain(relation.relatedModel, selection)
  return (selection) => {
    const { include, hasItemCursors } = selection
    if (hasItemCursors || !isPlain(model, selection)) return itemStrategy
    if (include === undefined) return rawStrategy
    if (!include.every((node) => isPlainInclude(node, selection))) return itemStrategy
    return {
      kind: 'rawJson',
      isWholeListRaw: false,
      includedRelations: include.map((node) => node.relation as OwnedRelation),
    }
  }
}
