/** What a local id stands for, or why it stands for nothing. */
export type LocalIdResult =
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'unknown'; readonly detail: string }

/**
 * What is known, at one place of a document, of new resources that have no id yet: by type and lid
 * (JSON:API 1.1, resource identification).
 */
export type LocalIdLookup = (type: string, lid: string) => LocalIdResult

const unknownLocalId: LocalIdResult = Object.freeze({
  kind: 'unknown',
  detail: 'No resource of this document has this lid.',
})

export const noLocalIds: LocalIdLookup = () => unknownLocalId

/** A document with one new resource, which its own relations may name by its lid. */
export function singleLocalId(type: string, lid: string, id: string): LocalIdLookup {
  return (otherType, other) =>
    other === lid && otherType === type ? { kind: 'known', id } : unknownLocalId
}
