import type { RelationField } from '../model/model-description.ts'
import type { OwnerLinkage, RelationshipPage } from '../serializer/outgoing-item.ts'

/** What a document says of relations beside what items hold themselves, while it is found out. */
export type LinkageCollector = Map<RelationField, Map<string, OwnerLinkage>>

/**
 * Tells what an owner relates to, as one way to the relation finds it. An owner that is met on
 * several ways stands in the document once, with all that they find.
 */
export function addLinkage(
  told: LinkageCollector,
  relation: RelationField,
  owner: string,
  ids: readonly string[],
  further: RelationshipPage | undefined,
): void {
  const byOwner = linkageByOwner(told, relation)
  const before = byOwner.get(owner)
  if (!before) byOwner.set(owner, { kind: 'told', ids: new Set(ids), page: further })
  else if (before.kind === 'told') {
    // Behind two different windows together there is no next page.
    const isSame = before.page?.query === further?.query
    byOwner.set(owner, {
      kind: 'told',
      ids: new Set([...before.ids, ...ids]),
      page: isSame ? further : undefined,
    })
  }
}

/** Tells all that the owner holds, whatever else was or will be told. */
export function addStoredLinkage(
  told: LinkageCollector,
  relation: RelationField,
  owner: string,
): void {
  linkageByOwner(told, relation).set(owner, { kind: 'held' })
}

function linkageByOwner(
  told: LinkageCollector,
  relation: RelationField,
): Map<string, OwnerLinkage> {
  const known = told.get(relation)
  if (known) return known
  const owners = new Map<string, OwnerLinkage>()
  told.set(relation, owners)
  return owners
}
