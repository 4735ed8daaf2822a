import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { ListStrategy, SerializedPageReader } from '../operation/operation-input.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { Representer } from './represent.ts'

const itemStrategy: ListStrategy = Object.freeze({ kind: 'items' })

/**
 * How the lists of a rule are read. They are serialized from the stored texts if neither mappers,
 * field sets nor guards change an item, and if all includes are one level of whole relations that
 * the items hold.
 */
export function listStrategy(
  readPage: SerializedPageReader,
  { response, view: { model } }: ModelRule,
  representers: ReadonlyMap<ModelDescription, Representer>,
): (selection: Selection) => ListStrategy {
  // Identifiers are written without the items.
  if (response.content === 'linkage') return () => itemStrategy
  const { sendsRawJson, separator } = response.serializer
  // The store joins whole lists with commas.
  const isRawJson = sendsRawJson && separator === ','
  const serializedStrategy: ListStrategy = Object.freeze({
    kind: 'serialized',
    readPage,
    isRawJson,
    includedRelations: Object.freeze([]),
  })
  const isPlain = (itemModel: ModelDescription, { fields }: Selection) =>
    representers.get(itemModel)!.isSentAsStored(fields)
  const isPlainInclude = (
    { relation, children, selection: window }: IncludeNode,
    selection: Selection,
  ) =>
    relation.kind !== 'inverse' &&
    children.length === 0 &&
    window === undefined &&
    // Included items of the same model would have to leave out those of the page.
    relation.relatedModel !== model &&
    isPlain(relation.relatedModel, selection)
  return (selection) => {
    const { include, hasItemCursors } = selection
    if (hasItemCursors || !isPlain(model, selection)) return itemStrategy
    if (include === undefined) return serializedStrategy
    if (!include.every((node) => isPlainInclude(node, selection))) return itemStrategy
    return {
      kind: 'serialized',
      readPage,
      isRawJson,
      includedRelations: include.map((node) => node.relation as OwnedRelation),
    }
  }
}
