import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { ListStrategy, SerializedPageReader } from '../operation/operation-input.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { Representer } from './represent.ts'

const itemStrategy: ListStrategy = Object.freeze({ kind: 'items' })

/**
 * How the lists of a rule are read: as the texts they are stored as where nothing changes an item
 * on its way, included ones neither, and where what is included is one step away, all of it, by
 * relations that the items hold themselves.
 */
export function listStrategy(
  page: SerializedPageReader,
  { response, view: { model } }: ModelRule,
  representers: ReadonlyMap<ModelDescription, Representer>,
): (selection: Selection) => ListStrategy {
  // Identifiers are written without the items.
  if (response.content === 'linkage') return () => itemStrategy
  const { sendsRawJson, separator } = response.serializer
  // Those of whole lists come with commas.
  const isStored = sendsRawJson && separator === ','
  const texts: ListStrategy = Object.freeze({
    kind: 'texts',
    readPage: page,
    isRawJson: isStored,
    includedRelations: Object.freeze([]),
  })
  const isPlain = (of: ModelDescription, { fields }: Selection) =>
    representers.get(of)!.isSentAsStored(fields)
  const isLinked = ({ relation, children, selection: window }: IncludeNode, selection: Selection) =>
    relation.kind !== 'inverse' &&
    children.length === 0 &&
    window === undefined &&
    // Of these, the ones that are on the page already would have to be left out.
    relation.relatedModel !== model &&
    isPlain(relation.relatedModel, selection)
  return (selection) => {
    const { include, hasItemCursors } = selection
    if (hasItemCursors || !isPlain(model, selection)) return itemStrategy
    if (include === undefined) return texts
    if (!include.every((node) => isLinked(node, selection))) return itemStrategy
    return {
      kind: 'texts',
      readPage: page,
      isRawJson: isStored,
      includedRelations: include.map((node) => node.relation as OwnedRelation),
    }
  }
}
