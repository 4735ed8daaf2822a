/** The id of a local id (`lid`), or why it has none. */
export type LocalIdResult =
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'unknown'; readonly detail: string }

/** Resolves the type and `lid` of a new resource (JSON:API 1.1, resource identification). */
export type LocalIdLookup = (type: string, lid: string) => LocalIdResult

const unknownLocalId: LocalIdResult = Object.freeze({
  kind: 'unknown',
  detail: "Unknown 'lid'; no resource in this document defines it.",
})

export const noLocalIds: LocalIdLookup = () => unknownLocalId

/** A document with one new resource, whose own relations may name it by its lid. */
export function singleLocalId(type: string, lid: string, id: string): LocalIdLookup {
  return (otherType, otherLid) =>
    otherLid === lid && otherType === type ? { kind: 'known', id } : unknownLocalId
}
