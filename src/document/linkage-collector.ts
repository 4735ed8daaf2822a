import type { RelationField } from '../model/model-description.ts'
import type { OwnerLinkage, RelationshipPage } from '../serializer/outgoing-item.ts'

/**
 * Linkage that the document shows instead of what items hold, collected while includes are read.
 */
export type LinkageCollector = Map<RelationField, Map<string, OwnerLinkage>>

/**
 * Adds the linkage of an owner. An owner on several include paths stands in the document once, with
 * the ids of all of them.
 */
export function addLinkage(
  collector: LinkageCollector,
  relation: RelationField,
  owner: string,
  ids: readonly string[],
  page: RelationshipPage | undefined,
): void {
  const byOwner = linkageByOwner(collector, relation)
  const before = byOwner.get(owner)
  if (!before) byOwner.set(owner, { kind: 'collected', ids: new Set(ids), page })
  else if (before.kind === 'collected') {
    // Two different pages together have no next page.
    const isSamePage = before.page?.query === page?.query
    byOwner.set(owner, {
      kind: 'collected',
      ids: new Set([...before.ids, ...ids]),
      page: isSamePage ? page : undefined,
    })
  }
}

/** Shows all ids that the owner holds, whatever else was or will be collected. */
export function addStoredLinkage(
  collector: LinkageCollector,
  relation: RelationField,
  owner: string,
): void {
  linkageByOwner(collector, relation).set(owner, { kind: 'stored' })
}

function linkageByOwner(
  collector: LinkageCollector,
  relation: RelationField,
): Map<string, OwnerLinkage> {
  const existing = collector.get(relation)
  if (existing) return existing
  const owners = new Map<string, OwnerLinkage>()
  collector.set(relation, owners)
  return owners
}
