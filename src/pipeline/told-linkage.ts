import type { RelationField } from '../model/description.ts'
import type { Further, LinkedTo } from '../serializer/outgoing.ts'

/** What a document says of relations beside what items hold themselves, while it is found out. */
export type ToldLinkage = Map<RelationField, Map<string, LinkedTo>>

/**
 * Tells what an owner relates to, as one way to the relation finds it. An owner that is met on several ways stands in the document once,
 * with all that they find.
 */
export function tell(
  told: ToldLinkage,
  relation: RelationField,
  owner: string,
  ids: readonly string[],
  further: Further | undefined,
): void {
  const byOwner = ownersOf(told, relation)
  const before = byOwner.get(owner)
  if (!before) byOwner.set(owner, { kind: 'told', ids: new Set(ids), further })
  else if (before.kind === 'told') {
    // Behind two different windows together there is no next page.
    const isSame = before.further?.query === further?.query
    byOwner.set(owner, {
      kind: 'told',
      ids: new Set([...before.ids, ...ids]),
      further: isSame ? further : undefined,
    })
  }
}

/** Tells all that the owner holds, whatever else was or will be told. */
export function tellHeld(told: ToldLinkage, relation: RelationField, owner: string): void {
  ownersOf(told, relation).set(owner, { kind: 'held' })
}

function ownersOf(told: ToldLinkage, relation: RelationField): Map<string, LinkedTo> {
  const known = told.get(relation)
  if (known) return known
  const owners = new Map<string, LinkedTo>()
  told.set(relation, owners)
  return owners
}
