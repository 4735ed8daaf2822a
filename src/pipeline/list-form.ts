import type { ModelDescription, OwnedRelation } from '../model/description.ts'
import type { ListForm, WrittenPages } from '../operation/job.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { Representer } from './represent.ts'

const items: ListForm = Object.freeze({ kind: 'items' })

/**
 * How the lists of a rule are read: as the texts they are stored as where nothing changes an item on its way, included ones neither, and where
 * what is included is one step away, all of it, by relations that the items hold themselves.
 */
export function listForm(
  page: WrittenPages,
  { response, view: { model } }: ModelRule,
  representers: ReadonlyMap<ModelDescription, Representer>,
): (selection: Selection) => ListForm {
  // Identifiers are written without the items.
  if (response.content === 'linkage') return () => items
  const { sendsStoredTexts, between } = response.serializer
  // Those of whole lists come with commas.
  const isStored = sendsStoredTexts && between === ','
  const texts: ListForm = Object.freeze({ kind: 'texts', page, isStored, linked: Object.freeze([]) })
  const isPlain = (of: ModelDescription, { fields }: Selection) => representers.get(of)!.isPlain(fields)
  const isLinked = ({ relation, children, window }: IncludeNode, selection: Selection) =>
    relation.kind !== 'inverse' &&
    children.length === 0 &&
    window === undefined &&
    // Of these, the ones that are on the page already would have to be left out.
    relation.target !== model &&
    isPlain(relation.target, selection)
  return (selection) => {
    const { include, tellsPlaces } = selection
    if (tellsPlaces || !isPlain(model, selection)) return items
    if (include === undefined) return texts
    if (!include.every((node) => isLinked(node, selection))) return items
    return { kind: 'texts', page, isStored, linked: include.map((node) => node.relation as OwnedRelation) }
  }
}
